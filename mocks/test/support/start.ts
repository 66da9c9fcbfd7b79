import { onTestFinished } from 'vitest';
import { createGates } from '../../gates.ts';
import type { Gates } from '../../gates.ts';
import type { Mock } from '../../mock.ts';
import { mockKinds } from '../../registry.ts';

/** Starts a mock that is stopped when the test ends. */
export async function start(
  script: { readonly kind: string; readonly [key: string]: unknown },
  gates: Gates = createGates(),
  name = 'up',
): Promise<Mock> {
  const kind = mockKinds[script.kind];
  if (kind === undefined) throw new RangeError(script.kind);
  const mock = await kind.start(script, { name, host: '127.0.0.1', gates });
  onTestFinished(async () => {
    gates.close();
    await mock.stop();
  });
  return mock;
}

/** What arrived, with only the members named. */
export function viewsOf(mock: Mock, ...keys: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  return mock.ledger.entries.map((entry) => {
    const view = entry.view();
    return Object.fromEntries(keys.map((key) => [key, view[key]]));
  });
}
