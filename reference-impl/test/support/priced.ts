/** The resources with a catalog for their Gateway, in which one model of vendor1 has these rates. */
export function priced(resources: readonly object[], model: string, rates: object): object[] {
  const catalog = JSON.stringify({ providers: { openai: { models: { [model]: { rates } } } } });
  return [
    ...resources.map(withParameters),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'prices' }, data: { 'catalog.json': catalog } },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyParameters',
      metadata: { name: 'priced' },
      spec: { modelCatalog: { sources: [{ configMap: { name: 'prices' } }] } },
    },
  ];
}

function withParameters(object: object): object {
  if (!('kind' in object && object.kind === 'Gateway' && 'spec' in object)) return object;
  const { spec } = object;
  if (typeof spec !== 'object') return object;
  const parametersRef = { group: 'proxy.example', kind: 'ProxyParameters', name: 'priced' };
  return { ...object, spec: { ...spec, infrastructure: { parametersRef } } };
}
