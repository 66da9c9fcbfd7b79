import { z } from 'zod';

/** What the proxy knows about a schema beside its bounds. Absent members are unknown, not empty. */
export interface Notes {
  /** One sentence for `kubectl explain` and for editors. */
  readonly text?: string;
  /** What the proxy does where the field is absent. It is never written into a resource. */
  readonly default?: z.core.util.JSONType;
  /** The same in words, where it is not one fixed value. */
  readonly defaultText?: string;
  /** What to use instead of this field. */
  readonly deprecated?: string;
  /** Rules as `x-kubernetes-validations`, where admission itself checks them elsewhere. */
  readonly validations?: readonly Validation[];
  /** What is refused when the resource is translated, and not when it is submitted. */
  readonly translation?: TranslationRule;
  /** The clause that bounds the value: its type, length, range, pattern or list of values. */
  readonly clause?: string;
  /** The clause that demands the required members of this object. */
  readonly requires?: string;
  /** The clause that keeps other fields out of this object. */
  readonly closed?: string;
}

/** `self` is the value; the message says what must hold. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
}

/** A rule that holds for the effect of a value and not for its submission; gives what is wrong with the value, or undefined. */
export interface TranslationRule {
  readonly clause: string;
  readonly problemOf: (value: unknown) => string | undefined;
}

const NOTES = z.registry<Notes>();

/** The same schema with notes added to those it has; they survive refinements and wrappers made later. */
export function noted<Schema extends z.ZodType>(schema: Schema, notes: Notes): Schema {
  const copy = schema.clone();
  NOTES.add(copy, notes);
  return copy;
}

export function notesOf(schema: z.core.$ZodType): Notes {
  return NOTES.get(schema) ?? {};
}

/**
 * The same object schema with a text for each field named, and one for the object itself. A field's text stands in front of what its
 * type says of itself; texts survive when fields are spread into another object.
 */
export function described<Schema extends z.ZodObject>(
  schema: Schema,
  texts: FieldTexts<Schema['shape']>,
  text?: string,
): Schema {
  const shape = describedFields(schema.shape, texts);
  const copy = schema.clone({ ...schema.def, shape }, { parent: true });
  return text === undefined ? copy : noted(copy, { text });
}

/** The same fields with a text for each of those named. */
export function describedFields<Shape extends z.core.$ZodShape>(shape: Shape, texts: FieldTexts<Shape>): Shape {
  const copy = { ...shape };
  for (const name in texts) {
    const member = copy[name];
    const text = texts[name];
    if (member !== undefined && text !== undefined) copy[name] = withText(member, text);
  }
  return copy;
}

/** A text for some fields, by name. */
export type FieldTexts<Shape> = { readonly [Name in keyof Shape]?: string };

/** Of a field that may be absent it is the value that is noted, so that the text stands beside its default. */
function withText<Member extends z.core.$ZodType>(member: Member, text: string): Member {
  if (member instanceof z.ZodExactOptional) {
    const innerType = withText(member.def.innerType, text);
    return z.core.clone(member, { ...member.def, innerType }, { parent: true });
  }
  const copy = z.core.clone(member);
  NOTES.add(copy, { text });
  return copy;
}

/** For a list whose items must differ by name. */
export function uniqueNames(item: string): Validation {
  return {
    rule: 'self.all(one, self.exists_one(other, other.name == one.name))',
    message: `names must be unique: no ${item} may have that of another`,
  };
}
