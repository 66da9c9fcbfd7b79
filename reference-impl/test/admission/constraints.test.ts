import { describe, expect, test } from 'vitest';
import { admit } from '../../admission/admit.ts';
import { pathText } from '../../admission/violation.ts';
import { CONSTRAINTS } from './constraints.ts';
import { fragment } from './fragments.ts';

describe.each(CONSTRAINTS)('%s', (clause, around, broken, path, kept) => {
  test(`refuses ${broken}`, () => {
    const admission = admit(around(fragment(broken)));
    const blamed = admission.ok
      ? undefined
      : admission.violations.find((violation) => pathText(violation.path) === path);
    expect(blamed, admission.ok ? 'accepted' : JSON.stringify(admission.violations)).toBeDefined();
    expect(blamed?.clause ?? '').toBe(clause);
  });

  test(`accepts ${kept}`, () => {
    const admission = admit(around(fragment(kept)));
    expect(admission.ok ? [] : admission.violations).toEqual([]);
  });
});
