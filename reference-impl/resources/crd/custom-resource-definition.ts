import { groupOf, KINDS } from '../kinds.ts';
import { notesOf } from '../notes.ts';
import { PRINTER_COLUMNS } from './printer-columns.ts';
import { type StructuralSchema, structuralSchema } from './structural-schema.ts';

/** The kinds of our own group; the others belong to the Gateway API and to the orchestrator. */
export const CUSTOM_KINDS = ['ProxyBackend', 'ProxyModel', 'ProxyParameters', 'ProxyPolicy'] as const;

export type CustomKind = (typeof CUSTOM_KINDS)[number];

/** The definition of one kind in `apiextensions.k8s.io/v1`, as an API server takes it. */
export function customResourceDefinition(kind: CustomKind): StructuralSchema {
  const { apiVersion, plural, schema } = KINDS[kind];
  const group = groupOf(apiVersion);
  const { spec, status } = schema.shape;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), categories: ['proxy'] },
      versions: [
        {
          name: apiVersion.slice(group.length + 1),
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [...PRINTER_COLUMNS[kind], AGE],
          schema: {
            openAPIV3Schema: {
              description: notesOf(schema).text,
              type: 'object',
              required: ['spec'],
              properties: {
                // The API server knows these three better than a schema could say; of `metadata` it takes the type alone.
                apiVersion: { description: notesOf(schema.shape.apiVersion).text, type: 'string' },
                kind: { description: notesOf(schema.shape.kind).text, type: 'string' },
                metadata: { type: 'object' },
                spec: structuralSchema(spec),
                status: structuralSchema(status),
              },
            },
          },
        },
      ],
    },
  };
}

const AGE = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
