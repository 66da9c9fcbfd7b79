import { createGates } from '../../../mocks/gates.ts';
import type { LedgerEntry } from '../../../mocks/ledger.ts';
import { describeMock } from '../../../mocks/mock.ts';
import type { Mock } from '../../../mocks/mock.ts';
import { mockKinds } from '../../../mocks/registry.ts';
import { peerKinds } from './peer-schema.ts';

export interface ByHandOptions {
  readonly name: string;
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Called once per entry, as soon as nothing about it will change any more. */
  readonly onSettled: (view: Readonly<Record<string, unknown>>) => void;
}

/** A mock that a person talks to. */
export interface ByHand {
  /** One line: what it is and where. */
  readonly description: string;
  readonly stop: () => Promise<void>;
}

/** Starts one mock outside a case. Rejects with RangeError for an unknown kind, a ZodError or the system's error. */
export async function startByHand(script: Readonly<Record<string, unknown>>, options: ByHandOptions): Promise<ByHand> {
  const word = String(script['kind']);
  const kind = Object.hasOwn(mockKinds, word) ? mockKinds[word] : undefined;
  if (kind === undefined) throw new RangeError(`unknown kind ${word}; known kinds: ${peerKinds.join(', ')}`);
  const gates = createGates();
  const mock = await kind.start(script, { name: options.name, host: options.host, port: options.port, gates });
  journal(mock, options.onSettled);
  return {
    description: describeMock(mock),
    stop: () => {
      gates.close();
      return mock.stop();
    },
  };
}

function journal(mock: Mock, onSettled: ByHandOptions['onSettled']): void {
  let listed = 0;
  let open: LedgerEntry[] = [];
  mock.ledger.onChange(() => {
    open.push(...mock.ledger.entries.slice(listed));
    listed = mock.ledger.entries.length;
    const settled = open.filter((entry) => entry.settled);
    open = open.filter((entry) => !entry.settled);
    for (const entry of settled) onSettled(entry.view());
  });
}
