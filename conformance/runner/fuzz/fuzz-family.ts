import type { ConcreteCase } from '../case/concrete-case.ts';
import { EVERYTHING } from '../case/select.ts';
import { loadRunnable } from '../load-suite.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { startInstance } from '../sut/instance.ts';
import type { Manifest } from '../sut/manifest.ts';
import { runProperty } from './run-property.ts';

/** Families of properties, and the cases of layer `property` that state them: their clauses, their topology, their vantage. */
export const FAMILIES = {
  merge: ['attachment.properties.*'],
  admission: ['resources.properties.*'],
  expressions: ['expressions.properties.*'],
  requests: ['routing.properties.*'],
  streams: ['ai.properties.*'],
} as const;
export type Family = keyof typeof FAMILIES;

/** How long to search for what contradicts a family, and from which seed. */
export interface FuzzRequest {
  readonly family: Family;
  readonly manifest: Manifest;
  /** Milliseconds for all vantages together. */
  readonly forMs: number;
  readonly seed: number;
  /** Folder for counterexamples. */
  readonly out: string;
  /** The first counterexample ends the whole search, not only that of its vantage. */
  readonly bail?: boolean | undefined;
  readonly stop: AbortSignal;
}

/** What a property came to, or the features it needs and the implementation does not declare. */
export type FuzzResult =
  | { readonly case: ConcreteCase; readonly result: CaseResult }
  | { readonly case: ConcreteCase; readonly lacks: readonly string[] };

/**
 * Draws for as long as was asked, through every vantage the implementation offers; the first counterexample of a vantage ends its search.
 * Throws ImplementationFault when the implementation does not start.
 */
export async function fuzzFamily(request: FuzzRequest): Promise<readonly FuzzResult[]> {
  const { family, manifest, bail = false, stop } = request;
  const { cases } = await loadRunnable({ selection: { ...EVERYTHING, patterns: FAMILIES[family] } });
  const instance = await startInstance(manifest);
  try {
    const { features } = instance.session;
    const lacking = cases.map((one) => one.needs.filter((feature) => features[feature] !== true));
    const offered = lacking.filter((lacks) => lacks.length === 0).length;
    const results: FuzzResult[] = [];
    for (const [index, one] of cases.entries()) {
      const lacks = lacking[index] ?? [];
      if (lacks.length > 0) {
        results.push({ case: one, lacks });
        continue;
      }
      const result = await search(one, { ...request, forMs: request.forMs / offered });
      results.push({ case: one, result });
      if (stop.aborted || (bail && result.verdict === 'fail')) break;
    }
    return results;
  } finally {
    await instance.stop();
  }

  async function search(one: ConcreteCase, { seed, forMs, out }: FuzzRequest): Promise<CaseResult> {
    return runProperty(one, instance, { seed, signal: stop, regressions: out, forMs });
  }
}
