/** The areas of the reference that decide what the documents are about, and where they stand. */
export const AREAS = {
  merge: ['attachment/policies/*.ts'],
  match: ['attachment/routes/*.ts'],
  limits: ['policies/traffic/rate-limit/*.ts', 'policies/traffic/buffer.ts', 'policies/traffic/delay.ts'],
  trace: ['trace/*.ts'],
  admission: ['admission/**/*.ts'],
  guards: ['backends/ai/guards/**/*.ts', 'backends/mcp/guards/*.ts'],
} as const satisfies Record<string, readonly string[]>;

/** Where the paths of the areas begin, relative to the package. */
export const AREAS_FOLDER = 'reference-impl';

export type Area = keyof typeof AREAS;
