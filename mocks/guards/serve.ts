import type { Mock, MockOptions } from '../mock.ts';
import type { TlsScript } from '../tls/script.ts';
import { cloudCAccount } from './account.ts';
import { answer, asked } from './answer.ts';
import { behindProxy } from './behind-proxy.ts';
import { createChooser } from './choose-reply.ts';
import type { GuardRequest, HttpReply } from './http.ts';
import type { GuardScript } from './script.ts';

/** The HTTP mock, which the registry hands in: it listens, keeps the ledger and sends replies, faults included. */
export type ServeHttp = (
  script: { kind: 'http'; fault?: GuardScript['fault']; tls?: TlsScript | undefined },
  options: MockOptions,
  choose: (request: GuardRequest, arrived: Promise<boolean>) => Promise<HttpReply>,
) => Promise<Mock>;

/** Starts a guard. Rejects when its port cannot be bound. */
export async function startGuardMock(script: GuardScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const choose = createChooser(script);
  const { fault, behind } = script;
  const accepting = fault === 'refuse' || fault === 'reset' ? { fault } : {};
  const inner = behind === undefined ? options : { ...options, port: 0 };
  const mock = await serveHttp({ kind: 'http', ...accepting, tls: tlsOf(script) }, inner, async (request, arrived) => {
    await arrived;
    const what = await asked(request, script);
    return answer(choose(what), what, script);
  });
  const guard = { ...mock, kind: 'guard' };
  if (behind === undefined) return guard;
  const account = script.service === 'model-guard' ? await cloudCAccount(script.key ?? 'token-of-c') : undefined;
  return behindProxy(guard, behind, account, options);
}

/** Who is known by a name has a certificate for it. */
function tlsOf({ tls, behind }: GuardScript): TlsScript | undefined {
  if (tls !== undefined || behind === undefined) return tls;
  return { names: [behind.replace(/:\d+$/, '')] };
}
