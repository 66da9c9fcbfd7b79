import { perObject } from '../../../base/per-object.ts';
import type { BackendAI } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';
import { compileEdits, type EditFields } from './field-edits.ts';
import type { Message } from '../formats/format.ts';
import { compileAliases } from './model-aliases.ts';
import { compileRoutes, type RouteTypeOf } from './routes.ts';

/** The policy field `ai`, ready for requests. */
export interface PolicyBlock {
  readonly routeType: RouteTypeOf;
  readonly edit: EditFields;
  readonly alias: (model: string) => string;
  readonly prepend: readonly Message[];
  readonly append: readonly Message[];
  readonly promptCaching: BackendAI['promptCaching'];
}

/** Compiled once per field value; without the field the defaults hold. */
export function policyBlock(field: BackendAI | undefined): PolicyBlock {
  return field === undefined ? NO_POLICY : compiled(field);
}

const compiled = perObject(compile);
const NO_POLICY = compile({});

function compile(field: BackendAI): PolicyBlock {
  const { routes, modelAliases, prompt, promptCaching } = field;
  return {
    routeType: compileRoutes(routes),
    edit: compileEdits(field),
    alias: compileAliases(modelAliases),
    prepend: prompt?.prepend ?? [],
    append: prompt?.append ?? [],
    promptCaching,
  };
}
