import { HeaderMap } from '../../base/headers.ts';
import { bytesBody } from '../../base/read-body.ts';
import { compileOrFail } from '../../cel/compile.ts';
import type { Program, VariableSource } from '../../cel/program.ts';
import { asBody, asHeaderText } from '../../cel/results.ts';
import type { Answer } from '../../exchange/exchange.ts';
import { refusal } from '../../exchange/refusal.ts';
import type { DirectResponse } from '../../resources/proxy-policy/fields/direct-response.ts';
import { conditional } from '../conditional.ts';
import { answerEditor } from '../edit-headers.ts';
import { prepareRequest, readsBody, whenReady } from '../expression-input.ts';
import type { Policy } from '../policy.ts';

export interface CompiledDirectResponse {
  readonly status: number;
  /** DIRECT-002: the literal body, as it stands. */
  readonly body: Uint8Array | undefined;
  readonly bodyExpression: Program | undefined;
  readonly headers: readonly { readonly name: string; readonly program: Program }[];
  readonly readsBody: boolean;
}

const plain: Policy<DirectResponse, CompiledDirectResponse> = {
  compile: ({ status, body, bodyExpression, headers = [] }) => {
    const program = bodyExpression === undefined ? undefined : compileOrFail(bodyExpression);
    const compiled = headers.map(({ name, value }) => ({ name, program: compileOrFail(value) }));
    const programs = compiled.map((header) => header.program).concat(program ?? []);
    return {
      status,
      body: body === undefined ? undefined : Buffer.from(body),
      bodyExpression: program,
      headers: compiled,
      readsBody: readsBody(programs, 'request'),
    };
  },

  request: (exchange, policy) =>
    whenReady(prepareRequest(exchange, policy.readsBody), ({ variables }) => ({
      kind: 'answer',
      answer: answerFrom(policy, variables),
    })),
};

/** Answers without a backend (DIRECT-001), plain or conditional (COND-006). */
export const directResponse = conditional(plain);

function answerFrom(policy: CompiledDirectResponse, variables: VariableSource): Answer {
  const bytes = policy.bodyExpression === undefined ? policy.body : evaluateBody(policy.bodyExpression, variables);
  if (typeof bytes === 'string') return refusal('filterFailed', bytes);
  const answer: Answer = {
    status: policy.status,
    headers: HeaderMap.EMPTY,
    body: bytes === undefined ? undefined : bytesBody(bytes),
    from: 'policy',
  };
  return policy.headers.reduce((now, header) => withHeader(now, header, variables), answer);
}

/** DIRECT-003, DIRECT-004, DIRECT-005: the bytes, or the reason there are none. */
function evaluateBody(program: Program, variables: VariableSource): Uint8Array | string {
  const evaluation = program.evaluate(variables);
  return asBody(evaluation) ?? (evaluation.ok ? 'no value' : evaluation.error);
}

/** DIRECT-007. A header whose expression fails is left out. */
function withHeader(
  answer: Answer,
  { name, program }: CompiledDirectResponse['headers'][number],
  variables: VariableSource,
): Answer {
  const value = asHeaderText(program.evaluate(variables));
  return value === undefined ? answer : answerEditor.add(answer, name, value);
}
