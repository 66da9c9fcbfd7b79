import { z } from 'zod';
import { httpFaultSchema } from '../http-exchange.ts';
import { tlsSchema } from '../tls/script.ts';

/** The member of a script of HTTP that says whether HTTP/2 is taken too. */
export const http2Shape = {
  http2: z
    .literal(true)
    .optional()
    .describe('take HTTP/2 as well: with prior knowledge, or over TLS where the client offers h2'),
};

/** The members of a script that speaks through the HTTP mock: how its connections are. */
export const servedShape = {
  fault: z
    .union([z.literal('refuse'), httpFaultSchema], { error: 'refuse, or a fault of a reply' })
    .optional()
    .describe('for every connection; a reply has its own'),
  tls: tlsSchema.optional().describe('speak TLS, with a certificate of the suite CA'),
  ...http2Shape,
};
