import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from './envelope.ts';
import { exactlyOne, isFields, rule } from './groups.ts';
import { parentReference, parentsStatus } from './metadata.ts';
import {
  customProviderShape,
  vendor3Shape,
  vendor6Shape,
  vendor7Shape,
} from './proxy-backend/variants/llm-provider.ts';
import { aiPromptGuard } from './proxy-policy/fields/ai/prompt-guard.ts';
import { fieldTransformation } from './proxy-policy/fields/ai/field-transformation.ts';
import { modelBackendAuth } from './proxy-policy/fields/auth/backend-auth.ts';
import { authorization } from './proxy-policy/fields/authorization.ts';
import { backendTls } from './proxy-policy/fields/backend-tls.ts';
import { backendTunnel } from './proxy-policy/fields/backend-tunnel.ts';
import { headerModifiers } from './proxy-policy/fields/header-modifiers.ts';
import { health } from './proxy-policy/fields/health.ts';
import { localObjectReference } from './references.ts';
import { celExpression, listOf, longString } from './scalars.ts';

/** The document names the first six and the last; the thirteen between have placeholders here. */
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

const modelPolicies = z.strictObject({
  transformations: listOf(fieldTransformation, 1, 64).exactOptional(),
  authorization: authorization.exactOptional(),
  auth: modelBackendAuth.exactOptional(),
  health: health.exactOptional(),
  tls: backendTls.exactOptional(),
  tunnel: backendTunnel.exactOptional(),
  headers: headerModifiers.exactOptional(),
  promptGuard: aiPromptGuard.exactOptional(),
});

const modelTarget = { modelRef: localObjectReference, model: longString.exactOptional() };

const weighted = z.strictObject({
  targets: listOf(
    z.strictObject({ ...modelTarget, weight: z.number().int().min(1).max(1_000_000).exactOptional() }),
    1,
    64,
  ),
});

const failover = z.strictObject({
  targets: listOf(z.strictObject({ ...modelTarget, priority: z.number().int().min(0).max(1_000_000) }), 1, 64),
});

const conditional = rule(
  z.strictObject({ targets: listOf(z.strictObject({ ...modelTarget, when: celExpression.exactOptional() }), 1, 64) }),
  'ADMIT-053',
  (routing) => fallbackIsLast(routing['targets']),
  'only the last target may leave out when',
);

const virtualModel = exactlyOne(
  z.strictObject({
    weighted: weighted.exactOptional(),
    failover: failover.exactOptional(),
    conditional: conditional.exactOptional(),
  }),
  'ADMIT-049',
  'weighted',
  'failover',
  'conditional',
);

const spec = z.strictObject({
  parentRefs: listOf(parentReference, 1, 16),
  match: z
    .strictObject({
      model: longString.regex(/^(\*|\*?[^*]+|[^*]+\*)$/, 'may have one * at its start or end').exactOptional(),
    })
    .exactOptional(),
  visibility: z.enum(['Public', 'Internal']).exactOptional(),
  provider: modelProvider.exactOptional(),
  vendor3: z.strictObject(vendor3Shape).exactOptional(),
  vendor6: z.strictObject(vendor6Shape).exactOptional(),
  vendor7: z.strictObject(vendor7Shape).exactOptional(),
  custom: z.strictObject(customProviderShape).exactOptional(),
  baseURL: longString
    .refine(isPlainHttpUrl, 'must be an http or https URL without query, fragment and user info')
    .exactOptional(),
  policies: modelPolicies.exactOptional(),
  virtualModel: virtualModel.exactOptional(),
});

/** Provider, and the member that must carry its settings. */
const SETTINGS: readonly (readonly [provider: string, member: string, clause: string])[] = [
  ['Vendor3', 'vendor3', 'ADMIT-045'],
  ['Custom', 'custom', 'ADMIT-046'],
];

const oneKind = exactlyOne(spec, 'ADMIT-042', 'provider', 'virtualModel');

/** A model clients request by name: served by a provider, or routing among other models. */
export const proxyModel = z.strictObject({
  ...envelope(PROXY_API_VERSION, 'ProxyModel'),
  spec: SETTINGS.reduce(
    (schema, [provider, member, clause]) =>
      rule(
        schema,
        clause,
        (model) => model['provider'] !== provider || model[member] !== undefined,
        `provider ${provider} needs ${member}`,
      ),
    oneKind,
  ),
  status: parentsStatus.exactOptional(),
});

function fallbackIsLast(targets: unknown): boolean {
  if (!Array.isArray(targets)) return true;
  return targets.slice(0, -1).every((target: unknown) => !isFields(target) || target['when'] !== undefined);
}

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const url = new URL(text);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}

export type ProxyModel = z.infer<typeof proxyModel>;
export type ModelPolicies = z.infer<typeof modelPolicies>;
