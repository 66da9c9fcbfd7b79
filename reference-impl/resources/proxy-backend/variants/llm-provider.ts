import { z } from 'zod';
import { atMostOne, exactlyOne, type Fields, isFields, rule } from '../../groups.ts';
import { described, describedFields, noted } from '../../notes.ts';
import { localBackendObjectReference } from '../../references.ts';
import { listOf, longString, portNumber, shortString, tinyString } from '../../scalars.ts';

/** Replaces the model name of the request. */
const model = noted(shortString, {
  text: 'Model name to ask for.',
  defaultText: 'the model the request names',
}).exactOptional();
const apiVersion = noted(tinyString, { text: 'Version of the API.', default: 'v1' }).exactOptional();

const modelOnly = z.strictObject({ model });

/** Provider 1 as hosted by cloud B; `deploymentName` is needed with every apiVersion but v1 (ADMIT-019, ADMIT-020). */
const vendor2 = rule(
  noted(
    described(
      z.strictObject({ endpoint: shortString, deploymentName: shortString.exactOptional(), apiVersion }),
      { endpoint: 'Host of the resource.', deploymentName: 'Name of the deployment; needed unless apiVersion is v1.' },
      'Provider 1 as hosted by cloud B.',
    ),
    {
      requires: 'ADMIT-019',
    },
  ),
  'ADMIT-020',
  (provider) => (provider['apiVersion'] ?? 'v1') === 'v1' || provider['deploymentName'] !== undefined,
  'deploymentName is required unless apiVersion is v1',
  "!has(self.apiVersion) || self.apiVersion == 'v1' || has(self.deploymentName)",
);

/** A resource of cloud B: its name and type make the host (ADMIT-022, ADMIT-023). */
export const vendor3Shape = describedFields(
  {
    resourceName: shortString,
    resourceType: noted(z.enum(['ResourceTypeA', 'ResourceTypeB']), { clause: 'ADMIT-023' }),
    apiVersion,
    projectName: shortString.exactOptional(),
  },
  {
    resourceName: 'Name of the resource; part of its host.',
    resourceType: 'Type of the resource; decides its host and paths.',
    projectName: 'Name of the project; needed for ResourceTypeB.',
  },
);

const vendor3 = rule(
  noted(z.strictObject({ ...vendor3Shape, model }), { requires: 'ADMIT-022' }),
  'ADMIT-024',
  (provider) => provider['resourceType'] !== 'ResourceTypeB' || provider['projectName'] !== undefined,
  'projectName is required when resourceType is ResourceTypeB',
  "self.resourceType != 'ResourceTypeB' || has(self.projectName)",
);

/** The machine-learning platform of cloud C. */
export const vendor6Shape = describedFields(
  {
    projectId: tinyString,
    region: noted(tinyString, { default: 'global' }).exactOptional(),
  },
  { projectId: 'Project of the models.', region: 'Region of the models.' },
);

const vendor6 = z.strictObject({ ...vendor6Shape, model });

/** The managed models of cloud A (ADMIT-026, ADMIT-027). */
export const vendor7Shape = describedFields(
  {
    region: noted(z.string().regex(/^[a-z0-9-]{1,63}$/, 'must be 1 to 63 lowercase letters, digits or -'), {
      default: 'us-east-1',
      clause: 'ADMIT-026',
    }).exactOptional(),
    guardrail: noted(
      described(z.strictObject({ identifier: shortString, version: shortString }), {
        identifier: 'Id of the guardrail.',
        version: 'Version of the guardrail.',
      }),
      {
        requires: 'ADMIT-027',
      },
    ).exactOptional(),
  },
  {
    region: 'Region of the models, 1 to 63 lowercase letters, digits or -.',
    guardrail: 'Guardrail the provider applies to every call.',
  },
);

const vendor7 = z.strictObject({ ...vendor7Shape, model });

const PROVIDER_FORMATS = [
  'Completions',
  'Messages',
  'Responses',
  'Embeddings',
  'Vendor4TokenCount',
  'Realtime',
  'Rerank',
] as const;

/** A format the provider speaks, and where (ADMIT-032). */
const providerFormat = noted(
  described(
    z.strictObject({
      type: noted(z.enum(PROVIDER_FORMATS), { clause: 'ADMIT-032' }),
      path: noted(longString, { defaultText: 'the usual path of the format' }).exactOptional(),
    }),
    { type: 'The format.', path: 'Path it is spoken at.' },
    'A format the provider speaks.',
  ),
  { requires: 'ADMIT-032' },
);

/** A provider of one's own, with 1 to 6 formats (ADMIT-030). */
export const customProviderShape = describedFields(
  {
    backendRef: localBackendObjectReference.exactOptional(),
    formats: noted(listOf(providerFormat, 1, 6), { clause: 'ADMIT-030' }),
  },
  {
    backendRef: 'Service or InferencePool of the same namespace; instead of host and port.',
    formats: '1 to 6 formats the provider speaks.',
  },
);

const customProvider = noted(z.strictObject({ ...customProviderShape, model }), { requires: 'ADMIT-030' });

/** The variants of a provider, and what overrides its address. */
export const llmProviderShape = describedFields(
  {
    vendor1: modelOnly.exactOptional(),
    vendor2: vendor2.exactOptional(),
    vendor3: vendor3.exactOptional(),
    vendor4: modelOnly.exactOptional(),
    vendor5: modelOnly.exactOptional(),
    vendor6: vendor6.exactOptional(),
    vendor7: vendor7.exactOptional(),
    custom: customProvider.exactOptional(),
    host: noted(shortString, { defaultText: "the provider's own host" }).exactOptional(),
    port: noted(portNumber, { defaultText: "the provider's own port" }).exactOptional(),
    path: noted(longString, { defaultText: "the provider's own path" }).exactOptional(),
    pathPrefix: longString.exactOptional(),
  },
  {
    vendor1: 'Provider 1.',
    vendor2: 'Provider 1 as hosted by cloud B.',
    vendor3: 'A resource of cloud B.',
    vendor4: 'Provider 4.',
    vendor5: 'Provider 5.',
    vendor6: 'The machine-learning platform of cloud C.',
    vendor7: 'The managed models of cloud A.',
    custom: 'A provider at an address of your own.',
    host: 'Host to call instead.',
    port: 'Port to call instead.',
    path: 'Path to call instead.',
    pathPrefix: "What the path begins with instead of the provider's own; for vendor1 and vendor4.",
  },
);

const VARIANTS = ['vendor1', 'vendor2', 'vendor3', 'vendor4', 'vendor5', 'vendor6', 'vendor7', 'custom'];

/** The rules of a provider, alone or named in a group. */
export function providerRules<Schema extends z.ZodType>(schema: Schema): Schema {
  const oneVariant = exactlyOne(schema, 'ADMIT-017', ...VARIANTS);
  const prefixed = rule(
    oneVariant,
    'ADMIT-018',
    pathPrefixIsSupported,
    'pathPrefix is supported for vendor1 and vendor4 only',
    '!has(self.pathPrefix) || has(self.vendor1) || has(self.vendor4)',
  );
  const onePath = atMostOne(prefixed, 'PROV-014', 'path', 'pathPrefix');
  const addressed = rule(
    onePath,
    'ADMIT-028',
    customHasAddress,
    'custom needs either backendRef, or host and port beside it',
    '!has(self.custom) || has(self.custom.backendRef) || (has(self.host) && has(self.port))',
  );
  return rule(
    addressed,
    'PROV-033',
    (provider) => !customHasBackend(provider) || (provider['host'] === undefined && provider['port'] === undefined),
    'custom.backendRef and host or port exclude each other',
    '!has(self.custom) || !has(self.custom.backendRef) || (!has(self.host) && !has(self.port))',
  );
}

/** Exactly one provider variant, with overrides of its address (ADMIT-017). */
export const llmProvider = providerRules(z.strictObject(llmProviderShape));

function pathPrefixIsSupported(provider: Fields): boolean {
  return provider['pathPrefix'] === undefined || provider['vendor1'] !== undefined || provider['vendor4'] !== undefined;
}

function customHasAddress(provider: Fields): boolean {
  if (!isFields(provider['custom']) || customHasBackend(provider)) return true;
  return provider['host'] !== undefined && provider['port'] !== undefined;
}

function customHasBackend(provider: Fields): boolean {
  return isFields(provider['custom']) && provider['custom']['backendRef'] !== undefined;
}

export type LLMProvider = z.infer<typeof llmProvider>;
