import { afterFair } from '../sut/time/fair-time.ts';

/** So long after the head of its answer a stream that stays silent is taken for one that watches. */
const AFTER_HEAD_MS = 150;
/** And so long after the request one whose head comes no sooner than its first event. */
const AFTER_REQUEST_MS = 800;

/** What is seen of a trace stream while somebody waits for its watcher to be registered. */
export interface Arming {
  readonly asked: () => void;
  readonly head: (status: number) => void;
  readonly bytes: () => void;
  /** Nothing arms from now on. */
  readonly end: () => void;
}

/**
 * Calls `arm` when the watcher is registered, as far as that shows. The documents do not say what shows it (U-002): the manifest may
 * (`first-bytes` or `response-head`), otherwise it is the first bytes, or their absence for a while.
 */
export function arming(declared: unknown, arm: () => void): Arming {
  const isOpen = declared !== 'first-bytes' && declared !== 'response-head';
  let ended = false;
  let stopWaiting: (() => void) | undefined;
  const end = (): void => {
    ended = true;
    stopWaiting?.();
  };
  const done = (): void => {
    if (ended) return;
    end();
    arm();
  };
  const wait = (ms: number): void => {
    stopWaiting?.();
    if (isOpen && !ended) stopWaiting = afterFair(ms, done);
  };
  return {
    asked: () => wait(AFTER_REQUEST_MS),
    head: (status) => {
      if (status !== 200) end();
      else if (declared === 'response-head') done();
      else wait(AFTER_HEAD_MS);
    },
    bytes: done,
    end,
  };
}
