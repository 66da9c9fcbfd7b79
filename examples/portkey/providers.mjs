// Which provider of the gateway is which of the documents. `prefix` is what stands between the host and what the gateway appends to it.

const OPENAI = { name: 'openai', prefix: '/v1' };
const ANTHROPIC = { name: 'anthropic', prefix: '/v1' };
/** Formats that nobody reads: the path of the client is that of the provider. */
export const AS_IT_IS = ['Passthrough', 'Detect'];
const OF_ANTHROPIC = ['Messages', 'Vendor4TokenCount'];

const PROVIDERS = {
  vendor1: () => OPENAI,
  vendor4: () => ANTHROPIC,
  // Its version v1 is that of provider 1, at paths of its own.
  vendor3: ({ resourceType, projectName }) => ({
    name: 'openai',
    prefix: `${resourceType === 'ResourceTypeB' ? `/api/projects/${projectName}` : ''}/openai/v1`,
  }),
  vendor5: () => ({ name: 'google' }),
  vendor6: ({ projectId, region }) => ({
    name: 'vertex-ai',
    more: { vertex_project_id: projectId, vertex_region: region },
  }),
  vendor7: ({ region }) => ({ name: 'bedrock', more: { aws_region: region ?? 'us-east-1' } }),
  custom: ofOnesOwn,
};

/**
 * The provider that takes a format of a client. One of the documents' own may take it in no way that the gateway knows: then it says so
 * itself. Undefined for a provider that is not known here, or not in this format.
 */
export function providerFor(variant, settings, format) {
  const provider = PROVIDERS[variant]?.(settings, format);
  return provider && AS_IT_IS.includes(format) ? { ...provider, prefix: '' } : provider;
}

/** Is spoken to in the format of the client where it lists it; completions become messages. Of others the gateway knows no way. */
function ofOnesOwn({ formats }, format) {
  if (AS_IT_IS.includes(format) || format === 'Models') return OPENAI;
  const listed = (wanted) => formats.find(({ type }) => type === wanted);
  const spoken = listed(format) ?? (format === 'Completions' ? listed('Messages') : undefined);
  return spoken && { ...(OF_ANTHROPIC.includes(spoken.type) ? ANTHROPIC : OPENAI), path: spoken.path };
}
