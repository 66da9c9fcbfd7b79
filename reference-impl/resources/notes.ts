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

/** For a list whose items must differ by name. */
export function uniqueNames(item: string): Validation {
  return {
    rule: 'self.all(one, self.exists_one(other, other.name == one.name))',
    message: `names must be unique: no ${item} may have that of another`,
  };
}
