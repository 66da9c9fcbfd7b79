import { describe, expect, test } from 'vitest';
import { createLaneChooser, replyAt } from '../lanes.ts';

interface Reply {
  readonly say?: string;
}

const matches = (start: string, question: string): boolean => question.startsWith(start);
const counts = (question: string): boolean => question !== 'a!';

describe('lanes', () => {
  const script = {
    on: [
      { match: 'a', replies: [{ say: 'a1' }, { say: 'a2' }] },
      { match: 'ab', reply: { say: 'never' } },
      { match: 'b' },
    ],
    reply: { say: 'else' },
  };
  test('the first that matches answers, and its last reply repeats', () => {
    const choose = createLaneChooser<string, Reply, string>(script, { matches });
    expect(['a', 'ab', 'abc'].map(choose)).toEqual([{ say: 'a1' }, { say: 'a2' }, { say: 'a2' }]);
  });

  test('each counts its own questions; without replies it has nothing to say', () => {
    const choose = createLaneChooser<string, Reply, string>(script, { matches });
    expect(['a', 'x', 'b', 'a'].map(choose)).toEqual([{ say: 'a1' }, { say: 'else' }, {}, { say: 'a2' }]);
  });

  test('a question that does not count uses up no reply', () => {
    const choose = createLaneChooser<string, Reply, string>(script, { matches, counts });
    expect(['a!', 'a!', 'a', 'a'].map(choose)).toEqual([{ say: 'a1' }, { say: 'a1' }, { say: 'a1' }, { say: 'a2' }]);
  });

  test('two choosers of one script count for themselves', () => {
    const [one, other] = [0, 1].map(() => createLaneChooser<string, Reply, string>(script, { matches }));
    expect([one?.('a'), other?.('a')]).toEqual([{ say: 'a1' }, { say: 'a1' }]);
  });
});

test('no replies are nothing to say', () => {
  expect(replyAt([], 3)).toEqual({});
});
