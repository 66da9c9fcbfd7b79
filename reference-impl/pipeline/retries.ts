import type { Body } from '../base/body.ts';
import { pause } from '../base/pause.ts';
import { isSilence } from '../base/proxy-error.ts';
import { replayable, type Replay } from '../base/replay.ts';
import type { Answer, RetryTerms, Targeted } from '../exchange/exchange.ts';
import { latest, type Journey } from './journey.ts';

/** One attempt: rejects with a ProxyError when no response came. */
export type Attempt = (exchange: Targeted) => Promise<Answer>;

/** Bytes of a request body that are kept for another attempt; a larger body is sent once. */
const REPLAY_LIMIT = 64 * 1024;

/**
 * Sends the request until an answer asks for no further attempt, or no attempt is left: the answer, or the failure, of
 * the last one. What an earlier attempt received is thrown away.
 */
export async function withRetries(
  journey: Journey,
  targeted: Targeted,
  terms: RetryTerms,
  attempt: Attempt,
): Promise<Answer> {
  const { body } = targeted.request;
  if (body?.length !== undefined && body.length > REPLAY_LIMIT) return attempt(targeted);
  const replay = body === undefined ? NOTHING : replayable(body, REPLAY_LIMIT);
  for (let earlier = 0; earlier < terms.retries; earlier += 1) {
    const answer = await tryAttempt(journey, attempt(numberAttempt(targeted, replay, earlier)), terms, replay);
    if (answer !== undefined) return answer;
    await waitFor(terms.backoff, targeted);
  }
  // The last reader begins before anything is dropped.
  const last = numberAttempt(targeted, replay, terms.retries);
  replay.letGo();
  return attempt(last);
}

/** RETRY-006: the same request; further attempts say which they are. */
function numberAttempt(targeted: Targeted, replay: Replay, earlier: number): Targeted {
  const { request } = targeted;
  const headers = earlier === 0 ? request.headers : request.headers.set('x-retry-attempt', String(earlier));
  const body = request.body === undefined ? undefined : replay.again();
  return { ...targeted, request: { ...request, headers, body } };
}

/** The answer to keep; undefined when another attempt may follow. Throws the failure to keep. */
async function tryAttempt(
  journey: Journey,
  attempt: Promise<Answer>,
  terms: RetryTerms,
  replay: Replay,
): Promise<Answer | undefined> {
  try {
    const answer = await attempt;
    const kept = await keep(journey, answer, terms, replay);
    if (kept !== undefined) replay.letGo();
    return kept;
  } catch (error) {
    if (replay.intact() && isSilence(error) && journey.received.cancellation.reason === undefined) return undefined;
    replay.letGo();
    throw error;
  }
}

async function keep(journey: Journey, answer: Answer, terms: RetryTerms, replay: Replay): Promise<Answer | undefined> {
  // What a policy or the proxy itself says would be the same again. Half a request cannot be repeated.
  if (answer.from !== 'backend' || !replay.whole()) return answer;
  const judged = await terms.judge(latest(journey), answer);
  if (!judged.again) return judged.answer;
  judged.answer.body?.cancel();
  return undefined;
}

/** TRAFFIC-004: waiting counts towards the request timeout, which ends it. */
async function waitFor(backoff: number, { clock, cancellation }: Targeted): Promise<void> {
  if (cancellation.reason !== undefined) throw cancellation.reason;
  if (backoff > 0) await pause(backoff, clock, cancellation);
}

const NO_BODY: Body = { read: () => Promise.resolve(undefined), cancel: () => {}, length: 0 };

/** The body of a request without one. */
const NOTHING: Replay = { again: () => NO_BODY, whole: () => true, intact: () => true, letGo: () => {} };
