import { ProxyError } from '../../base/proxy-error.ts';
import { compileOrFail } from '../../cel/compile.ts';
import type { Program, VariableSource } from '../../cel/program.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import type { Parameter } from './grant.ts';

/** `additionalParams`, compiled. */
export interface AdditionalParameters {
  readonly readsBody: boolean;
  /** In the order of their names. Throws invalidRequest when an expression gives no text for this request. */
  readonly evaluate: (variables: VariableSource) => readonly Parameter[];
}

/** Compiles `additionalParams` (OAUTH-012). Never throws. */
export function additionalParameters(field: Readonly<Record<string, string>> = {}): AdditionalParameters {
  const programs = Object.entries(field)
    .map(([name, text]): readonly [string, Program] => [name, compileOrFail(text)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const reserved = programs.find(([name]) => RESERVED.has(name))?.[0];
  return {
    readsBody: programs.some(([, { bodies }]) => bodies.has('request')),
    evaluate: (variables) => {
      if (reserved !== undefined) return refuseToSend(`additionalParams cannot set ${reserved}`);
      return programs.map(([name, program]) => [name, textOf(program, variables)]);
    },
  };
}

/** What the grant and the client say; a second value would be taken by some servers and refused by others. */
const RESERVED = new Set([
  'grant_type',
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'requested_token_type',
  'assertion',
  'audience',
  'scope',
  'resource',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

function textOf(program: Program, variables: VariableSource): string {
  const evaluation = program.evaluate(variables);
  if (!evaluation.ok) throw new ProxyError('invalidRequest');
  const { value } = evaluation;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new ProxyError('invalidRequest');
}
