import type fc from 'fast-check';
import { z } from 'zod';
import type { ConcreteCase } from '../case/concrete-case.ts';

const size = z.strictObject({ max: z.int().min(1).max(16) });

/** `property:` of a case: how many examples, what of and how large, seen through which window, held against which model. */
export const propertySchema = z.strictObject({
  runs: z.int().min(1).max(10_000),
  arbitrary: z.union([
    z.strictObject({ policies: size }),
    z.strictObject({ documents: size }),
    z.strictObject({ expressions: size }),
    z.strictObject({ requests: size }),
    z.strictObject({ streams: size }),
  ]),
  window: z.enum(['op', 'trace', 'wire']),
  check: z.tuple([z.strictObject({ model: z.enum(['merge', 'admission', 'expressions', 'requests', 'streams']) })]),
});
export type Property = z.infer<typeof propertySchema>;

/** A family of properties: how its examples are drawn. */
export interface Family {
  /** What is drawn, for people: `policy sets`. */
  readonly noun: string;
  /**
   * An example is a case like any other, so a counterexample, shrunk, can be written down as one. Its config adds to that of the
   * property, whose layer says through which window it is looked at; `max` bounds its size. Undefined where the documents leave open
   * what must come of it.
   */
  readonly examples: (one: ConcreteCase, max: number) => fc.Arbitrary<ConcreteCase | undefined>;
}

/** How large an example may be. */
export function maxOf({ arbitrary }: Property): number {
  return Math.max(...Object.values(arbitrary).map(({ max }) => max));
}
