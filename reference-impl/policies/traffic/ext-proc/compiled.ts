import type { Origin } from '../../../attachment/policies/effective-policy.ts';
import type { ExtProc } from '../../../resources/proxy-policy/fields/ext-proc.ts';
import { readsBody } from '../../expression-input.ts';
import { compileNamed, type Context, type NamedPrograms } from './context.ts';
import { modesOf, WIRE_BODY_MODES, type AllModes } from './modes.ts';

export interface CompiledExtProc {
  readonly field: ExtProc;
  readonly origin: Origin;
  readonly modes: AllModes;
  readonly allowModeOverride: boolean;
  readonly failOpen: boolean;
  readonly metadata: Context['metadata'];
  /** What the first message of a stream says about modes. */
  readonly protocolConfig: Context['protocolConfig'];
  readonly request: CompiledHalf;
  readonly response: CompiledHalf;
}

interface CompiledHalf {
  readonly attributes: NamedPrograms;
  /** Whether an expression of this half reads the body of its message. */
  readonly readsBody: boolean;
}

/** The policy as requests see it. */
export function compileExtProc(field: ExtProc, origin: Origin): CompiledExtProc {
  const { metadataContext = {}, requestAttributes, responseAttributes, processingOptions } = field;
  const metadata = Object.entries(metadataContext).map(([name, values]) => [name, compileNamed(values)] as const);
  const always = metadata.flatMap(([, programs]) => programs);
  const half = (attributes: NamedPrograms, message: 'request' | 'response'): CompiledHalf => {
    const programs = [...attributes, ...always].map(([, program]) => program);
    return { attributes, readsBody: readsBody(programs, message) };
  };
  const modes = modesOf(processingOptions);
  return {
    field,
    origin,
    modes,
    // EXTPROC-015
    allowModeOverride: processingOptions?.allowModeOverride === true,
    // EXTPROC-027
    failOpen: field.failureMode === 'FailOpen',
    metadata,
    protocolConfig: {
      requestBodyMode: WIRE_BODY_MODES[modes.request.body],
      responseBodyMode: WIRE_BODY_MODES[modes.response.body],
    },
    request: half(compileNamed(requestAttributes), 'request'),
    response: half(compileNamed(responseAttributes), 'response'),
  };
}
