import { z } from 'zod';
import { exactlyOne, type Fields, isFields, rule } from '../../groups.ts';
import { localBackendObjectReference } from '../../references.ts';
import { listOf, longString, portNumber, shortString, tinyString } from '../../scalars.ts';

const modelOnly = z.strictObject({ model: shortString.exactOptional() });

const vendor2 = rule(
  z.strictObject({
    endpoint: shortString,
    deploymentName: shortString.exactOptional(),
    apiVersion: tinyString.exactOptional(),
  }),
  'ADMIT-020',
  (provider) => (provider['apiVersion'] ?? 'v1') === 'v1' || provider['deploymentName'] !== undefined,
  'deploymentName is required unless apiVersion is v1',
);

export const vendor3Shape = {
  resourceName: shortString,
  resourceType: z.enum(['ResourceTypeA', 'ResourceTypeB']),
  apiVersion: tinyString.exactOptional(),
  projectName: shortString.exactOptional(),
};

const vendor3 = rule(
  z.strictObject({ ...vendor3Shape, model: shortString.exactOptional() }),
  'ADMIT-024',
  (provider) => provider['resourceType'] !== 'ResourceTypeB' || provider['projectName'] !== undefined,
  'projectName is required when resourceType is ResourceTypeB',
);

export const vendor6Shape = { projectId: tinyString, region: tinyString.exactOptional() };

const vendor6 = z.strictObject({ ...vendor6Shape, model: shortString.exactOptional() });

export const vendor7Shape = {
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/, 'must be 1 to 63 lowercase letters, digits or -')
    .exactOptional(),
  guardrail: z.strictObject({ identifier: shortString, version: shortString }).exactOptional(),
};

const vendor7 = z.strictObject({ ...vendor7Shape, model: shortString.exactOptional() });

const providerFormat = z.strictObject({
  type: z.enum(['Completions', 'Messages', 'Responses', 'Embeddings', 'Vendor4TokenCount', 'Realtime', 'Rerank']),
  path: longString.exactOptional(),
});

export const customProviderShape = {
  backendRef: localBackendObjectReference.exactOptional(),
  formats: listOf(providerFormat, 1, 6),
};

const customProvider = z.strictObject({ ...customProviderShape, model: shortString.exactOptional() });

export const llmProviderShape = {
  vendor1: modelOnly.exactOptional(),
  vendor2: vendor2.exactOptional(),
  vendor3: vendor3.exactOptional(),
  vendor4: modelOnly.exactOptional(),
  vendor5: modelOnly.exactOptional(),
  vendor6: vendor6.exactOptional(),
  vendor7: vendor7.exactOptional(),
  custom: customProvider.exactOptional(),
  host: shortString.exactOptional(),
  port: portNumber.exactOptional(),
  path: longString.exactOptional(),
  pathPrefix: longString.exactOptional(),
};

const VARIANTS = ['vendor1', 'vendor2', 'vendor3', 'vendor4', 'vendor5', 'vendor6', 'vendor7', 'custom'];

/** The rules of a provider, alone or named in a group. */
export function providerRules<Schema extends z.ZodType>(schema: Schema): Schema {
  const oneVariant = exactlyOne(schema, 'ADMIT-017', ...VARIANTS);
  const prefixed = rule(
    oneVariant,
    'ADMIT-018',
    pathPrefixIsSupported,
    'pathPrefix is supported for vendor1 and vendor4 only',
  );
  return rule(prefixed, 'ADMIT-028', customHasAddress, 'custom needs either backendRef, or host and port beside it');
}

export const llmProvider = providerRules(z.strictObject(llmProviderShape));

function pathPrefixIsSupported(provider: Fields): boolean {
  return provider['pathPrefix'] === undefined || provider['vendor1'] !== undefined || provider['vendor4'] !== undefined;
}

function customHasAddress(provider: Fields): boolean {
  const custom = provider['custom'];
  if (!isFields(custom) || custom['backendRef'] !== undefined) return true;
  return provider['host'] !== undefined && provider['port'] !== undefined;
}

export type LLMProvider = z.infer<typeof llmProvider>;
