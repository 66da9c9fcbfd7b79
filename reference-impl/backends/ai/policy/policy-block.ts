import { perObject } from '../../../base/per-object.ts';
import type { BackendAI } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';
import { compileEdits, type EditFields } from './field-edits.ts';
import type { Message } from '../formats/format.ts';
import { compileAliases } from './model-aliases.ts';
import { compileRoutes, type RouteTypeOf } from './routes.ts';

/** Messages of the operator around those of a request. */
export interface Enrichment {
  readonly prepend: readonly Message[];
  readonly append: readonly Message[];
}

/** The policy field `ai`, ready for requests. */
export interface PolicyBlock {
  readonly routeType: RouteTypeOf;
  readonly edit: EditFields;
  readonly alias: (model: string) => string;
  /** PROMPT-004: as it is written. */
  readonly prompt: Enrichment;
  /** For a provider of another format: the documents write the roles SYSTEM and USER, which the formats have in lower case. */
  readonly translatedPrompt: Enrichment;
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
  const { prepend = [], append = [] } = prompt ?? {};
  return {
    routeType: compileRoutes(routes),
    edit: compileEdits(field),
    alias: compileAliases(modelAliases),
    prompt: { prepend, append },
    translatedPrompt: { prepend: prepend.map(inLowerCase), append: append.map(inLowerCase) },
    promptCaching,
  };
}

function inLowerCase({ role, content }: Message): Message {
  return { role: role.toLowerCase(), content };
}
