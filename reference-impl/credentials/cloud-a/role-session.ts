import { compileOrFail } from '../../cel/compile.ts';
import type { Program, VariableSource } from '../../cel/program.ts';
import type { CloudAAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import { refuseToSend } from '../refuse-to-send.ts';

type AssumeRole = NonNullable<CloudAAuth['assumeRole']>;

/** A role that is taken on for one request, and what its session is called and carries. */
export interface RoleSession {
  readonly roleArn: string;
  readonly name: string;
  /** In the order of their keys. */
  readonly tags: readonly (readonly [key: string, value: string])[];
}

/** A role with its expressions compiled. */
export interface CompiledRole {
  readonly programs: readonly Program[];
  /** BAUTH-018: throws backendAuthenticationFailed when an expression gives no valid name or value. */
  readonly session: (variables: VariableSource) => RoleSession;
}

/** BAUTH-016, BAUTH-017, BAUTH-019: what expressions say is found out for each request. */
export function compileRole({ roleArn, sessionName, sessionNameExpression, tags = [] }: AssumeRole): CompiledRole {
  const name = textSource(sessionName ?? DEFAULT_NAME, sessionNameExpression);
  const values = tags.map(({ key, value = '', expression }) => ({ key, ...textSource(value, expression) }));
  return {
    programs: [name, ...values].flatMap(({ program }) => program ?? []),
    session: (variables) => ({
      roleArn,
      name: validText(name.text(variables), NAME, 'session name'),
      tags: values
        .map(({ key, text }) => [key, validText(text(variables), TAG_VALUE, `session tag ${key}`)] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))),
    }),
  };
}

/** docs/decisions/cloud-credentials.md */
const DEFAULT_NAME = 'proxy';
const NAME = /^[\w+=,.@-]{2,64}$/;
/** As the cloud's own reference has it. */
const TAG_VALUE = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u;

interface TextSource {
  readonly program?: Program;
  readonly text: (variables: VariableSource) => unknown;
}

function textSource(fixed: string, expression: string | undefined): TextSource {
  if (expression === undefined) return { text: () => fixed };
  const program = compileOrFail(expression);
  return {
    program,
    text: (variables) => {
      const evaluation = program.evaluate(variables);
      return evaluation.ok ? evaluation.value : undefined;
    },
  };
}

/** What clients sent may be part of the value, so it is not told. */
function validText(value: unknown, form: RegExp, what: string): string {
  return typeof value === 'string' && form.test(value) ? value : refuseToSend(`the ${what} of a role is not valid`);
}
