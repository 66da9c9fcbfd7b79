import { behindProxy } from '../behind-proxy.ts';
import type { ServeHttp } from '../http-exchange.ts';
import type { Mock, MockOptions } from '../mock.ts';
import type { TlsScript } from '../tls/script.ts';
import { cloudCAccount } from './account.ts';
import { answer, readQuestion } from './answer.ts';
import { createChooser } from './choose-reply.ts';
import type { GuardScript } from './script.ts';

/** Starts a guard. Rejects when its port cannot be bound. */
export async function startGuardMock(script: GuardScript, options: MockOptions, serveHttp: ServeHttp): Promise<Mock> {
  const choose = createChooser(script);
  const { fault, behind } = script;
  const accepting = fault === 'refuse' || fault === 'reset' ? { fault } : {};
  const inner = behind === undefined ? options : { ...options, port: 0 };
  const mock = await serveHttp({ kind: 'http', ...accepting, tls: tlsOf(script) }, inner, async (request, arrived) => {
    await arrived;
    const what = await readQuestion(request, script);
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
