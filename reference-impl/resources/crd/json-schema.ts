import { z } from 'zod';
import { KINDS, type KindName } from '../kinds.ts';
import { notesOf } from '../notes.ts';
import { checkFacts } from './check-facts.ts';
import { descriptionBesideDefault } from './description.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * A schema for editors: the types, bounds and defaults of one kind in JSON Schema draft 7, with unknown fields refused.
 * Rules over several fields are left to admission.
 */
export function jsonSchema(kind: KindName): JsonSchema {
  const { schema } = KINDS[kind];
  const { $schema, ...body } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema: node }) => {
      const { default: absent } = notesOf(zodSchema);
      const description = descriptionBesideDefault(zodSchema);
      if (description !== undefined) node.description = description;
      if (absent !== undefined) node.default = absent;
      if (zodSchema instanceof z.ZodRecord) Object.assign(node, checkFacts(zodSchema));
    },
  });
  return { $schema, title: kind, ...body };
}
