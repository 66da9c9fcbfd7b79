import type { SeenResult } from './known-plan.ts';
import type { Verdict } from './verdict.ts';

/**
 * How often each case passed, with what it said when it did not, and what the list could say instead when it always came out the same
 * way. `places` are where the cases are listed.
 */
export function rateLines(results: readonly SeenResult[], places: ReadonlyMap<string, string>): readonly string[] {
  const width = Math.max(0, ...[...places.keys()].map((id) => id.length));
  return [...places].flatMap(([id, place]) => {
    const rounds = results.filter((result) => result.id === id);
    return [`${id.padEnd(width)}  ${rateOf(rounds)}  ${place}`, ...saidLines(rounds), ...adviceLines(rounds)];
  });
}

function rateOf(rounds: readonly SeenResult[]): string {
  const passed = rounds.filter(({ verdict }) => verdict === 'pass').length;
  const others = [...countsOf(rounds.map(({ verdict }) => verdict))].filter(([verdict]) => verdict !== 'pass');
  const rest = others.map(([verdict, count]) => `, ${count} ${verdict}`).join('');
  return `${passed} of ${rounds.length} passed${rest}`;
}

/** What it said when it did not pass, the most frequent first. */
function saidLines(rounds: readonly SeenResult[]): readonly string[] {
  const said = rounds.flatMap(({ verdict, reason = '' }) => (verdict === 'pass' ? [] : [`${verdict}: ${reason}`]));
  return [...countsOf(said)]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([text, count]) => `    ${count === 1 ? 'once' : `${count} times`} ${text}`);
}

const SHOWN = 3;

function adviceLines(rounds: readonly SeenResult[]): readonly string[] {
  const [first, ...others] = new Set(rounds.map(({ verdict }) => verdict));
  const advice = others.length > 0 || first === undefined ? undefined : ADVICE[first];
  return advice === undefined || rounds.length < 2 ? [] : [`    ${advice}`];
}

const ADVICE: Readonly<Partial<Record<Verdict, string>>> = {
  pass: 'it passed every time; if that stays so, remove the entry',
  fail: 'it never passed; verdict: fail would say so, and would notice when it passes',
  inconclusive: 'it never passed; verdict: inconclusive would say so, and would notice when it passes',
  error: 'it never passed; verdict: error would say so, and would notice when it passes',
  unsupported: 'the manifest does not declare what it needs, so nothing was measured',
};

function countsOf<Value>(values: readonly Value[]): ReadonlyMap<Value, number> {
  return new Map([...Map.groupBy(values, (value) => value)].map(([value, group]) => [value, group.length]));
}
