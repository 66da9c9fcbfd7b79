import type { z } from 'zod';
import { notesOf } from '../notes.ts';

/** What a schema says of itself: its text, what to use instead, what happens without it, and the clause that bounds it. */
export function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const { default: absent, ...notes } = notesOf(schema);
  return join(notes, absent === undefined ? notes.defaultText : valueText(absent));
}

/** The same where a default that is one value has a keyword of its own. */
export function descriptionBesideDefault(schema: z.core.$ZodType): string | undefined {
  const notes = notesOf(schema);
  return join(notes, notes.defaultText);
}

/**
 * Of scalar types, and of the places of credentials: they hold wherever such a value stands, so they say nothing of the field, and a
 * definition has room for so much only.
 */
const OF_TYPES: ReadonlySet<string> = new Set(
  [...Array.from({ length: 12 }, (_, index) => index + 1), 25, 40].map(
    (number) => `LIMIT-${String(number).padStart(3, '0')}`,
  ),
);

/** A text as it is, except for the empty one: a definition has no room for quotes, which it would escape. */
function valueText(value: z.core.util.JSONType): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function join(
  { text, deprecated, clause }: ReturnType<typeof notesOf>,
  absent: string | undefined,
): string | undefined {
  const parts = [
    ...(text === undefined ? [] : [text]),
    ...(deprecated === undefined ? [] : [`Deprecated: ${deprecated}.`]),
    ...(absent === undefined ? [] : [`Default: ${absent}.`]),
    ...(clause === undefined || OF_TYPES.has(clause) ? [] : [`[${clause}]`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}
