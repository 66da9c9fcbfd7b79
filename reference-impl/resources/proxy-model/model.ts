import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from '../envelope.ts';
import { exactlyOne, type Fields, isFields, rule } from '../groups.ts';
import { parentReference, parentsStatusOf } from '../metadata.ts';
import { described, noted } from '../notes.ts';
import {
  customProviderShape,
  vendor3Shape,
  vendor6Shape,
  vendor7Shape,
} from '../proxy-backend/variants/llm-provider.ts';
import { modelPolicies } from './model-policies.ts';
import { virtualModel } from './virtual-model.ts';
import { listOf, longString } from '../scalars.ts';

/** The document names the first six and the last; the thirteen between have placeholders here (ADMIT-044). */
const OTHER_PROVIDERS = Array.from({ length: 13 }, (_, index) => `Provider${index + 8}`);
const modelProvider = z.enum([
  'Vendor1',
  'Vendor3',
  'Vendor4',
  'Vendor5',
  'Vendor6',
  'Vendor7',
  ...OTHER_PROVIDERS,
  'Custom',
]);

/** An exact name, or one with a single `*` at its start or its end. */
const modelName = longString.regex(/^(\*|\*?[^*]+|[^*]+\*)$/, 'may have one * at its start or end');

const BASE_URL_SCHEME = 'must have the scheme http or https';

/** An absolute http or https URL without query, fragment and user info (ADMIT-047, ADMIT-048). */
const baseUrl = noted(
  longString
    .refine((text) => /^https?:\/\//i.test(text), {
      params: { clause: 'ADMIT-047', message: BASE_URL_SCHEME, cel: "self.matches('^[Hh][Tt][Tt][Pp][Ss]?://')" },
      error: BASE_URL_SCHEME,
    })
    .regex(/^[^:/]+:\/\/[^/?#@]+(\/[^?#]*)?$/, 'must be a URL without query, fragment and user info')
    .refine((text) => URL.canParse(text), 'must be a URL'),
  { clause: 'ADMIT-048', defaultText: "the provider's own address" },
);

const members = noted(
  described(
    z.strictObject({
      parentRefs: noted(listOf(parentReference, 1, 16), { clause: 'ADMIT-043' }),
      match: described(z.strictObject({ model: noted(modelName, { defaultText: 'metadata.name' }).exactOptional() }), {
        model: 'An exact name, or one with a * at its start or end.',
      }).exactOptional(),
      visibility: noted(z.enum(['Public', 'Internal']), { default: 'Public', clause: 'ADMIT-161' }).exactOptional(),
      provider: noted(modelProvider, { clause: 'ADMIT-044' }).exactOptional(),
      vendor3: noted(z.strictObject(vendor3Shape), { requires: 'ADMIT-045' }).exactOptional(),
      vendor6: z.strictObject(vendor6Shape).exactOptional(),
      vendor7: z.strictObject(vendor7Shape).exactOptional(),
      custom: noted(z.strictObject(customProviderShape), { requires: 'ADMIT-046' }).exactOptional(),
      baseURL: baseUrl.exactOptional(),
      policies: modelPolicies.exactOptional(),
      virtualModel: virtualModel.exactOptional(),
    }),
    {
      parentRefs: '1 to 16 Gateways or listeners it is offered at.',
      match: 'Which model names select it.',
      visibility: 'Whether clients may ask for it; Internal is for virtual models only.',
      provider: 'Who serves it; instead of virtualModel.',
      vendor3: 'Settings of provider Vendor3.',
      vendor6: 'Settings of provider Vendor6.',
      vendor7: 'Settings of provider Vendor7.',
      custom: 'Settings of provider Custom.',
      baseURL: 'Address to call, http or https, without query, fragment and user.',
      policies: 'The policies of the model.',
      virtualModel: 'Routes among other models; instead of provider.',
    },
    'One model: served by a provider, or routing among others.',
  ),
  { requires: 'ADMIT-043' },
);

/**
 * Provider, the member with its settings, and the clause that demands them; vendor7 can do without. The member belongs to
 * that provider alone.
 */
const SETTINGS: readonly (readonly [provider: string, member: string, clause?: string])[] = [
  ['Vendor3', 'vendor3', 'ADMIT-045'],
  ['Vendor6', 'vendor6', 'VERSION-008'],
  ['Vendor7', 'vendor7'],
  ['Custom', 'custom', 'ADMIT-046'],
];

/** What a virtual model cannot have: it has no provider and is always public, under one exact name. */
const NOT_VIRTUAL = ['baseURL', 'policies'];

const spec = ((): typeof members => {
  let schema = exactlyOne(members, 'ADMIT-042', 'provider', 'virtualModel');
  for (const [provider, member, clause] of SETTINGS) schema = settingsOf(schema, provider, member, clause);
  for (const member of NOT_VIRTUAL) schema = notVirtual(schema, member);
  schema = rule(
    schema,
    'VERSION-008',
    (model) => !isVirtual(model) || model['visibility'] !== 'Internal',
    'a virtual model is always public',
    "!has(self.virtualModel) || !has(self.visibility) || self.visibility == 'Public'",
  );
  return rule(
    schema,
    'VERSION-008',
    (model) => !isVirtual(model) || !isFields(model['match']) || !isWildcard(model['match']['model']),
    'a virtual model matches one exact name',
    "!has(self.virtualModel) || !has(self.match) || !has(self.match.model) || !self.match.model.contains('*')",
  );
})();

/** A model clients request by name: served by a provider, or routing among other models (ADMIT-042). */
export const proxyModel = noted(
  described(
    z.strictObject({
      ...envelope(PROXY_API_VERSION, 'ProxyModel'),
      spec,
      status: parentsStatusOf(16, 'LIMIT-024').exactOptional(),
    }),
    {
      spec: 'One model: served by a provider, or routing among others.',
      status: 'What the controller observed; written by it alone.',
    },
  ),
  { text: 'A model clients request by name: served by a provider, or routing among other models.' },
);

function settingsOf(schema: typeof members, provider: string, member: string, clause?: string): typeof members {
  const alone = rule(
    schema,
    'VERSION-008',
    (model) => model[member] === undefined || model['provider'] === provider,
    `${member} is for provider ${provider} only`,
    `!has(self.${member}) || (has(self.provider) && self.provider == '${provider}')`,
  );
  if (clause === undefined) return alone;
  return rule(
    alone,
    clause,
    (model) => model['provider'] !== provider || model[member] !== undefined,
    `provider ${provider} needs ${member}`,
    `!has(self.provider) || self.provider != '${provider}' || has(self.${member})`,
  );
}

function notVirtual(schema: typeof members, member: string): typeof members {
  return rule(
    schema,
    'VERSION-008',
    (model) => !isVirtual(model) || model[member] === undefined,
    `${member} is for models with a provider, not for virtual ones`,
    `!has(self.virtualModel) || !has(self.${member})`,
  );
}

/** Rules look at what was submitted, which may be anything. */
function isWildcard(match: unknown): boolean {
  return typeof match === 'string' && match.includes('*');
}

function isVirtual(model: Fields): boolean {
  return model['virtualModel'] !== undefined;
}

export type ProxyModel = z.infer<typeof proxyModel>;
