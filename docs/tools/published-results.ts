import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { conformanceResultSchema, type ConformanceResult } from '../../conformance/runner/report/conformance-result.ts';

/** A result in reports/, by the name of its folder. */
export interface PublishedResult {
  readonly name: string;
  readonly result: ConformanceResult;
}

/** All published results, the reference first. Throws with the name of a file that does not fit schemas/result.schema.json. */
export function publishedResults(): readonly PublishedResult[] {
  const files = globSync('reports/*/result.yaml').filter((file) => !file.startsWith('reports/latest/'));
  const results = files.toSorted().map((file) => {
    const read = conformanceResultSchema.safeParse(parse(readFileSync(file, 'utf8')));
    if (read.success) return { name: path.basename(path.dirname(file)), result: read.data };
    const [issue] = read.error.issues;
    throw new Error(`${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  });
  return results.toSorted((one, other) => Number(other.name === 'reference') - Number(one.name === 'reference'));
}
