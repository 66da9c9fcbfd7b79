import { z } from 'zod';

// `abort` makes the other members of a union speak when a text is neither.
const placeholder = z.string().regex(/\$\{[^{}]+\}/, { abort: true });

/**
 * The schema of a script that is not interpolated yet: wherever `schema` wants a number, a flag, one of a list or text
 * of a certain form, a text with a placeholder such as `${row.status}` will do as well. Understands the schema kinds
 * that scripts are written in; every other kind is kept as it is.
 */
export function withPlaceholders<T extends z.core.$ZodType>(schema: T): T;
export function withPlaceholders(schema: z.core.$ZodType): z.core.$ZodType {
  const open = openedSchema(schema);
  const text = z.globalRegistry.get(schema)?.description;
  // A clone does not bring the text along that editors show.
  if (open !== schema && text !== undefined) z.globalRegistry.add(open, { description: text });
  return open;
}

function openedSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodObject) {
    return schema.clone({ ...schema.def, shape: mapValues(schema.def.shape, withPlaceholders) });
  }
  if (schema instanceof z.ZodArray)
    return schema.clone({ ...schema.def, element: withPlaceholders(schema.def.element) });
  if (schema instanceof z.ZodRecord) {
    return schema.clone({
      ...schema.def,
      keyType: withPlaceholders(schema.def.keyType),
      valueType: withPlaceholders(schema.def.valueType),
    });
  }
  if (schema instanceof z.ZodTuple)
    return schema.clone({ ...schema.def, items: schema.def.items.map(withPlaceholders) });
  if (schema instanceof z.ZodOptional) {
    return schema.clone({ ...schema.def, innerType: withPlaceholders(schema.def.innerType) });
  }
  if (schema instanceof z.ZodUnion) {
    return schema.clone({ ...schema.def, options: schema.def.options.map(withPlaceholders) });
  }
  return LEAVES.some((leaf) => schema instanceof leaf) ? orPlaceholder(schema) : schema;
}

const LEAVES = [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodString, z.ZodBase64];

function orPlaceholder(schema: z.core.$ZodType): z.core.$ZodType {
  return z.union([schema, placeholder], { error: (issue) => messageOf(schema, issue.input) });
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}

// Without this the author reads "invalid input" instead of what the number or text had to be.
function messageOf(schema: z.core.$ZodType, input: unknown): string {
  return z.core.safeParse(schema, input).error?.issues[0]?.message ?? 'invalid';
}
