// A ProxyBackend of type ai in the words of the gateway: for each format of a client the configuration of its requests.
import { onlyKnown, Refused } from './refused.mjs';
import { AS_IT_IS, providerFor } from './providers.mjs';

/** Which path suffix means which format, and for each format what the gateway is told. */
export function providerTargets(resources, backend, above, ofSection) {
  onlyKnown(backend, 'spec.ai', backend.spec.ai, ['provider', 'groups']);
  const { provider, groups } = backend.spec.ai;
  const named = (groups ?? [{ providers: [provider] }]).map(({ providers }) =>
    providers.map(({ name, policies, ...one }) => ({
      provider: one,
      policies: { ...above, ...(name === undefined ? {} : ofSection(name)), ...backend.spec.policies, ...policies },
    })),
  );
  const { routes = {} } = { ...above, ...backend.spec.policies }.ai ?? {};
  // Without routes everything is Completions. With some, what has none is too, where the provider takes it.
  const formats = new Set(Object.keys(routes).length === 0 ? ['Completions'] : Object.values(routes));
  if (formats.has('Realtime')) throw new Refused(backend, 'spec.policies.ai.routes', 'Realtime is not implemented');
  const configs = [...formats].map((format) => [format, configOf({ resources, backend }, format, named)]);
  return {
    routes,
    configs: {
      Completions: optional(() => configOf({ resources, backend }, 'Completions', named)),
      ...Object.fromEntries(configs),
    },
  };
}

function optional(make) {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Groups in their order, each with its providers side by side. */
function configOf(context, format, groups) {
  const targets = groups.map((providers) => {
    const asked = providers.map((one) => withAliases(targetOf(context, format, one), format, one));
    return asked.length === 1 ? asked[0] : { strategy: { mode: 'loadbalance' }, targets: asked };
  });
  return targets.length === 1 ? targets[0] : { strategy: { mode: 'fallback' }, targets };
}

/** Another model for some: the gateway decides by conditions, where the provider has not decided already. */
function withAliases(target, format, { policies: { ai: { modelAliases = {} } = {} } }) {
  const { model } = target.override_params;
  const named = (name) => ({ ...target, override_params: { ...target.override_params, model: name } });
  if (AS_IT_IS.includes(format) || Object.keys(modelAliases).length === 0) return target;
  if (model !== undefined) return Object.hasOwn(modelAliases, model) ? named(modelAliases[model]) : target;
  const aliases = Object.entries(modelAliases);
  return {
    strategy: {
      mode: 'conditional',
      // oxlint-disable-next-line unicorn/no-thenable -- the gateway's own word
      conditions: aliases.map(([alias]) => ({ query: { 'params.model': { $eq: alias } }, then: `alias ${alias}` })),
      default: 'as asked',
    },
    targets: [
      ...aliases.map(([alias, name]) => ({ name: `alias ${alias}`, ...named(name) })),
      { name: 'as asked', ...target },
    ],
  };
}

const SETTINGS = [
  'model',
  'formats',
  'region',
  'projectId',
  'guardrail',
  'resourceName',
  'resourceType',
  'projectName',
];

function targetOf({ resources, backend }, format, { provider, policies }) {
  onlyKnown(backend, 'spec.policies', policies, ['ai', 'auth', 'http']);
  onlyKnown(backend, 'spec.policies.http', policies.http, ['requestTimeout']);
  onlyKnown(backend, 'spec.policies.ai', policies.ai, ['routes', 'overrides', 'modelAliases']);
  const { host, port, path, pathPrefix, ...variants } = provider;
  const [[variant, settings]] = Object.entries(variants);
  onlyKnown(backend, `spec.ai.${variant}`, settings, SETTINGS);
  const { name, prefix, more, ...listed } = providerFor(variant, settings, format) ?? {};
  if (name === undefined) throw new Refused(backend, 'spec.ai', `${variant} is not implemented for ${format}`);
  if (host === undefined) throw new Refused(backend, 'spec.ai', 'only providers with a host are implemented');
  const origin = `http://${host}:${port ?? 80}`;
  const whole = listed.path ?? path;
  return {
    provider: name,
    // What the gateway appends to a host that ends in # is no part of the URL.
    custom_host: origin + (whole === undefined ? (pathPrefix ?? prefix ?? '') : `${whole}#`),
    ...more,
    ...credentials(resources, backend, policies.auth),
    ...timeout(backend, policies.http),
    override_params: AS_IT_IS.includes(format) ? {} : overrides(settings, policies.ai),
  };
}

function overrides({ model, guardrail }, { overrides: given = [] } = {}) {
  const { identifier: guardrailIdentifier, version: guardrailVersion } = guardrail ?? {};
  return {
    ...(model === undefined ? {} : { model }),
    ...(guardrail === undefined ? {} : { guardrailConfig: { guardrailIdentifier, guardrailVersion } }),
    ...Object.fromEntries(given.map(({ field, value }) => [field, value])),
  };
}

function timeout(backend, { requestTimeout } = {}) {
  if (requestTimeout === undefined) return {};
  const [, number, unit] = /^(\d+)(ms|s|m)$/.exec(requestTimeout) ?? [];
  if (unit === undefined) throw new Refused(backend, 'spec.policies.http.requestTimeout', 'one number and one unit');
  return { request_timeout: Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit] };
}

/** Without a policy the client's own key goes on, which the front adds. */
function credentials(resources, backend, auth) {
  if (auth === undefined) return {};
  onlyKnown(backend, 'spec.policies.auth', auth, ['key', 'secretRef', 'cloudA']);
  if (auth.key !== undefined) return { api_key: auth.key.replace(/^Bearer /, '') };
  if (auth.cloudA !== undefined) return keysOfCloudA(resources, backend, auth.cloudA);
  const { name, key = 'Authorization' } = auth.secretRef;
  return { api_key: (secret(resources, backend, name)[key] ?? '').replace(/^Bearer /, '') };
}

function keysOfCloudA(resources, backend, cloudA) {
  onlyKnown(backend, 'spec.policies.auth.cloudA', cloudA, ['secretRef', 'region', 'serviceName']);
  if ((cloudA.serviceName ?? 'bedrock') !== 'bedrock')
    throw new Refused(backend, 'spec.policies.auth.cloudA.serviceName', 'only bedrock is implemented');
  if (cloudA.secretRef === undefined) throw new Refused(backend, 'spec.policies.auth', 'keys are not discovered');
  const { accessKey, secretKey, sessionToken } = secret(resources, backend, cloudA.secretRef.name);
  return {
    aws_access_key_id: accessKey,
    aws_secret_access_key: secretKey,
    ...(sessionToken === undefined ? {} : { aws_session_token: sessionToken }),
    ...(cloudA.region === undefined ? {} : { aws_region: cloudA.region }),
  };
}

function secret(resources, { metadata: { namespace } }, name) {
  const found = resources.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.namespace === namespace && metadata.name === name,
  );
  const decoded = Object.entries(found?.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString(),
  ]);
  return { ...Object.fromEntries(decoded), ...found?.stringData };
}
