import { once } from '../values/once.ts';
import type { AdapterClient } from './adapter-client.ts';

interface Shared {
  readonly started: Promise<AdapterClient>;
  users: number;
}

const running = new Map<string, Shared>();

/**
 * An adapter for everybody who would start it with the same words: it cannot tell one instance from another, and starting a program costs
 * more than most of what is asked of it. It ends when the last of them stops it; one that is broken is given to nobody any more.
 */
export async function shareAdapter(words: unknown, start: () => Promise<AdapterClient>): Promise<AdapterClient> {
  const key = JSON.stringify(words);
  const known = running.get(key);
  const shared = known ?? { started: start(), users: 0 };
  running.set(key, shared);
  shared.users += 1;
  const forget = (): void => {
    if (running.get(key) === shared) running.delete(key);
  };
  const adapter = await shared.started.catch((error: unknown) => {
    forget();
    throw error;
  });
  const stop = once(async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    forget();
    await adapter.stop();
  });
  if (known === undefined || adapter.broken() === undefined) return { ...adapter, stop };
  forget();
  await stop();
  return shareAdapter(words, start);
}
