import { perKey } from '../../base/per-key.ts';
import { structuralSchema } from '../../resources/crd/structural-schema.ts';
import type { Fields } from '../../resources/groups.ts';
import { KINDS } from '../../resources/kinds.ts';
import type { ServedKind } from './served-kinds.ts';
import { DESCRIPTIONS } from './descriptions.ts';

/**
 * The schema of a kind as clients read it: for explaining fields, not for checking them, which admission does. It is the
 * schema of the CustomResourceDefinitions, so both say the same.
 */
export function schemaOf({ group, version, name }: ServedKind): Fields {
  return {
    ...fieldsOf(name),
    description: DESCRIPTIONS[name],
    'x-kubernetes-group-version-kind': [{ group, version, kind: name }],
  };
}

/** Made when a client first asks: most runs of the proxy are never asked to explain themselves. */
const fieldsOf = perKey((name: ServedKind['name']): Fields => ({ ...structuralSchema(KINDS[name].schema) }));
