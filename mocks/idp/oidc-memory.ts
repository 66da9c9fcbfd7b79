import { timeWord } from './time-words.ts';

type Payload = Record<string, unknown>;

/** What `oidc-provider` wants of a store; one is made per kind of thing it keeps. */
interface Adapter {
  readonly upsert: (id: string, payload: Payload) => Promise<void>;
  readonly find: (id: string) => Promise<Payload | undefined>;
  readonly findByUid: (uid: string) => Promise<Payload | undefined>;
  readonly findByUserCode: (code: string) => Promise<Payload | undefined>;
  readonly consume: (id: string) => Promise<void>;
  readonly destroy: (id: string) => Promise<void>;
  readonly revokeByGrantId: (grant: string) => Promise<void>;
}

/** Keeps everything in memory, for as long as the mock lives. */
export function memoryAdapter(): (kind: string) => Adapter {
  const kept = new Map<string, Payload>();
  return (kind) => {
    const key = (id: string): string => `${kind}:${id}`;
    const firstWith = (member: string, value: string): Payload | undefined =>
      [...kept].find(([name, payload]) => name.startsWith(`${kind}:`) && payload[member] === value)?.[1];
    return {
      upsert: (id, payload) => change(() => kept.set(key(id), payload)),
      find: (id) => Promise.resolve(kept.get(key(id))),
      findByUid: (uid) => Promise.resolve(firstWith('uid', uid)),
      findByUserCode: (code) => Promise.resolve(firstWith('userCode', code)),
      consume: (id) =>
        change(() => {
          const payload = kept.get(key(id));
          if (payload !== undefined) kept.set(key(id), { ...payload, consumed: timeWord('now') });
        }),
      destroy: (id) => change(() => kept.delete(key(id))),
      revokeByGrantId: (grant) =>
        change(() => {
          for (const [name, payload] of kept) if (payload['grantId'] === grant) kept.delete(name);
        }),
    };
  };
}

async function change(run: () => void): Promise<void> {
  run();
}
