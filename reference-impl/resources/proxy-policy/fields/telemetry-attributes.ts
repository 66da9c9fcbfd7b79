import { z } from 'zod';
import { rule } from '../../groups.ts';
import { celExpression, listOf, shortString, tinyString } from '../../scalars.ts';

export const attributeAdd = z.strictObject({ name: shortString, expression: celExpression });

export const logTracingAttributes = z.strictObject({
  remove: listOf(tinyString, 1, 32).exactOptional(),
  add: z.array(attributeAdd).exactOptional(),
});

export const otlpProtocol = z.enum(['HTTP', 'GRPC']);

/** An OTLP `path` has a meaning over HTTP only, and the protocol is GRPC unless it says otherwise. */
export function pathOnlyWithHttp<Schema extends z.ZodType>(schema: Schema): Schema {
  return rule(
    schema,
    'ADMIT-153',
    (otlp) => otlp['path'] === undefined || otlp['protocol'] === 'HTTP',
    'path needs protocol HTTP',
  );
}

export type LogTracingAttributes = z.infer<typeof logTracingAttributes>;
