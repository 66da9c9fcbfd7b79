import { expect, test } from 'vitest';
import { checkQuestions, type Unvaried } from '../../gallery/open-questions.ts';
import type { Variant } from '../../gallery/lawful.ts';

const QUESTIONS = ['TRACE-060', 'DFP-005', 'U-001', 'A-005'];

const variant: Variant = {
  id: 'other-port',
  clauses: ['DFP-005'],
  open: ['U-001'],
  text: 'Another.',
  edits: [{ in: 'answer', find: 'words', replace: 'letters' }],
  place: 'lawful/traffic.yaml:1',
};

const excused: Unvaried = { of: ['TRACE-060', 'A-005'], why: 'todo', text: 'Which?', place: 'none/traffic.yaml:1' };

function problems(more: { readonly variants?: readonly Variant[]; readonly unvaried?: readonly Unvaried[] } = {}) {
  return checkQuestions(QUESTIONS, { variants: [variant], unvaried: [excused], ...more });
}

test('every question has a variant or a reason', () => {
  expect(problems()).toEqual([]);
  expect(problems({ unvaried: [] })).toEqual([
    expect.stringContaining('TRACE-060 is left open'),
    expect.stringContaining('A-005 is left open'),
  ]);
});

test('a variant that shares only a clause with an open point does not answer it', () => {
  const { open, ...silent } = variant;
  expect(open).toEqual(['U-001']);
  expect(problems({ variants: [silent] })).toEqual([expect.stringContaining('U-001 is left open')]);
});

test('a reason for what is no question, has a variant or has a reason already is found', () => {
  const more = { ...excused, of: ['MERGE-010', 'DFP-005', 'A-005'], place: 'none/traffic.yaml:9' };
  expect(problems({ unvaried: [excused, more] })).toEqual([
    'none/traffic.yaml:9: MERGE-010 is no question that the documents leave open',
    'none/traffic.yaml:9: DFP-005 has a variant',
    'none/traffic.yaml:9: A-005 is already at none/traffic.yaml:1',
  ]);
});

test('a variant that answers an unknown open point is found', () => {
  expect(problems({ variants: [{ ...variant, open: ['U-001', 'U-999'] }] })).toEqual([
    'lawful/traffic.yaml:1: other-port answers unknown open point U-999',
  ]);
});
