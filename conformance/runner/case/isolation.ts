import type { ConcreteCase } from './concrete-case.ts';

/** The group of a case. A trace watch takes the next request of anybody, so it can share nothing. */
export function isolationOf(one: Pick<ConcreteCase, 'isolation' | 'vantage'>): ConcreteCase['isolation'] {
  if (one.isolation === 'instance') return 'instance';
  return one.isolation === 'exclusive' || one.vantage === 'trace' ? 'exclusive' : 'host';
}
