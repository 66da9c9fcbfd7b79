import { HeaderMap } from '../../../../base/headers.ts';
import { bytesBody } from '../../../../base/read-body.ts';
import type { Answer } from '../../../../exchange/exchange.ts';

/** A JSON document that pages of any origin may read. */
export function documentAnswer(status: number, value: object, methods = 'GET, OPTIONS'): Answer {
  return textAnswer(status, [['content-type', 'application/json']], encoder.encode(JSON.stringify(value)), methods);
}

/** The same for bytes that came from elsewhere. */
export function textAnswer(status: number, fields: Fields, bytes: Uint8Array, methods: string): Answer {
  const headers = HeaderMap.of([...fields, ...corsFields(methods)]);
  return { status, headers, body: bytesBody(bytes), from: 'policy' };
}

/** To a page that asks whether it may ask. */
export function preflightAnswer(methods: string): Answer {
  return { status: 204, headers: HeaderMap.of(corsFields(methods)), body: undefined, from: 'policy' };
}

/** A method that the endpoint has not. */
export function methodAnswer(allowed: string): Answer {
  return { status: 405, headers: HeaderMap.of([['allow', allowed]]), body: undefined, from: 'policy' };
}

type Fields = readonly (readonly [name: string, value: string])[];

function corsFields(methods: string): Fields {
  return [
    ['access-control-allow-origin', '*'],
    ['access-control-allow-methods', methods],
    ['access-control-allow-headers', 'content-type'],
  ];
}

const encoder = new TextEncoder();
