import { z } from 'zod';
import { rule } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { celExpression, listOf, shortString, tinyString } from '../../scalars.ts';

/** One attribute by expression; a failing one leaves the pair out, or gives `unknown` in metrics. */
export const attributeAdd = described(
  z.strictObject({ name: shortString, expression: celExpression }),
  { name: 'Name of the attribute.', expression: 'CEL that gives its value.' },
  'One attribute by expression.',
);

/** Attributes to leave out by name, 1 to 32, and to add (LIMIT-030). */
export const logTracingAttributes = described(
  z.strictObject({
    remove: noted(listOf(tinyString, 1, 32), { clause: 'LIMIT-030' }).exactOptional(),
    add: z.array(attributeAdd).exactOptional(),
  }),
  { remove: '1 to 32 attributes left out, by name.', add: 'Attributes added.' },
);

/** Default: GRPC (ADMIT-084). */
export const otlpProtocol = noted(z.enum(['HTTP', 'GRPC']), { default: 'GRPC', clause: 'ADMIT-084' });

/** An OTLP `path` has a meaning over HTTP only, and the protocol is GRPC unless it says otherwise. */
export function pathOnlyWithHttp<Schema extends z.ZodType>(schema: Schema): Schema {
  return rule(
    schema,
    'ADMIT-153',
    (otlp) => otlp['path'] === undefined || otlp['protocol'] === 'HTTP',
    'path needs protocol HTTP',
    "!has(self.path) || (has(self.protocol) && self.protocol == 'HTTP')",
  );
}

export type LogTracingAttributes = z.infer<typeof logTracingAttributes>;
