import { HeaderMap, isFieldValue } from '../../../base/headers.ts';
import { readBody } from '../../../base/read-body.ts';
import type { Program } from '../../../cel/program.ts';
import { asHeaderText, jsonText } from '../../../cel/results.ts';
import { bufferLimit } from '../../../exchange/buffer-limit.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import { requestEditor } from '../../edit-headers.ts';
import { prepareAnswer, readsBody, type PreparedAnswer } from '../../expression-input.ts';
import { bareDenial, type Decision, type Question, withoutFields } from './decision.ts';
import { evaluateNamed, type NamedProgram } from './named-programs.ts';

/** What an answer of the server does to the request, and what the client is told. */
export interface AnswerRules {
  readonly redirect: Program | undefined;
  readonly responseHeaders: readonly string[];
  readonly metadata: readonly NamedProgram[];
}

/** The server's answer as a decision. Rejects when its body breaks off. */
export async function decide({ exchange }: Question, answered: Answer, policy: AnswerRules): Promise<Decision> {
  const programs = [...policy.metadata.map(({ program }) => program), ...(policy.redirect ? [policy.redirect] : [])];
  const prepared = await prepareAnswer(exchange, answered, readsBody(programs, 'response'));
  const { answer } = prepared;
  const metadata =
    policy.metadata.length === 0 ? undefined : Object.fromEntries(evaluateNamed(policy.metadata, prepared.variables));
  if (answer.status !== AUTHORIZED) return denialOf(prepared, policy, metadata, bufferLimit(exchange));
  await drain(answer);
  const copied = policy.responseHeaders.flatMap((name): [string, string][] => {
    const values = answer.headers.getAll(name);
    // A field that came several times is one list (RFC 9110, section 5.3).
    return values.length === 0 ? [] : [[name, values.join(', ')]];
  });
  return {
    allowed: true,
    // EXTAUTH-017, EXTAUTH-018
    edit: (request) =>
      copied.reduce(
        (now, [name, value]) => requestEditor.set(now, name, value),
        withoutFields(request, policy.responseHeaders),
      ),
    replyHeaders: [],
    metadata,
    reusable: true,
    size: jsonText([copied, metadata]).length,
  };
}

/** EXTAUTH-020, EXTAUTH-021 */
const AUTHORIZED = 200;

/** EXTAUTH-012, EXTAUTH-041 */
async function denialOf(
  { answer, variables }: PreparedAnswer,
  { redirect }: AnswerRules,
  metadata: Decision['metadata'],
  limit: number,
): Promise<Decision> {
  // A server that is in trouble has decided about this request only.
  const reusable = answer.status === 401 || answer.status === 403;
  if (redirect !== undefined) {
    await drain(answer);
    const location = asHeaderText(redirect.evaluate(variables));
    if (location === undefined || !isFieldValue(location)) return bareDenial(false, metadata);
    const headers = HeaderMap.of([['location', location]]);
    const found = { status: 302, headers, body: new Uint8Array() };
    return { allowed: false, answer: found, metadata, reusable, size: location.length };
  }
  const { bytes, overflow } = await readBody(answer.body, limit);
  if (overflow) answer.body?.cancel();
  // A 2xx is no authorization, and the client must not take it for the answer it asked for.
  if (overflow || answer.status < 300) return bareDenial(reusable, metadata);
  const headers = answer.headers.remove('content-length');
  return {
    allowed: false,
    answer: { status: answer.status, headers, body: bytes },
    metadata,
    reusable,
    size: bytes.byteLength + jsonText(headers.toRaw()).length,
  };
}

/** Reading to the end leaves the connection usable; a server that says more than this has it closed. */
async function drain({ body }: Answer): Promise<void> {
  const { overflow } = await readBody(body, MOST_DRAINED);
  if (overflow) body?.cancel();
}

const MOST_DRAINED = 64 * 1024;
