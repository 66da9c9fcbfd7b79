import { perKey } from '../../base/per-key.ts';
import { perObject } from '../../base/per-object.ts';
import type { ConfigMap } from '../../resources/core/config-map.ts';
import { namespaceOf, PROXY_API_GROUP } from '../../resources/envelope.ts';
import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import { parseModelCatalog, type ModelCatalog, type ParsedCatalog } from '../../resources/model-catalog.ts';
import type { Snapshot } from '../../store/snapshot.ts';

/** One source of the catalog of a Gateway, and what came of it. */
export interface CatalogSource {
  /** `namespace/name` of the ConfigMap and its key. */
  readonly from: string;
  readonly parsed: ParsedCatalog;
}

/** The catalogs of a Gateway that can be read, in their order. */
export function modelCatalogs(gateway: Gateway, snapshot: Snapshot): readonly ModelCatalog[] {
  return catalogSources(gateway, snapshot).flatMap(({ parsed }) => (parsed.ok ? [parsed.catalog] : []));
}

/** PARAM-035 to PARAM-038: what the parameters of the Gateway name, in its namespace; those of its class do not count. */
export function catalogSources(gateway: Gateway, snapshot: Snapshot): readonly CatalogSource[] {
  const { group, kind, name } = gateway.spec.infrastructure?.parametersRef ?? NO_REFERENCE;
  if (group !== PROXY_API_GROUP || kind !== 'ProxyParameters') return [];
  const namespace = namespaceOf(gateway);
  const sources = snapshot.get('ProxyParameters', namespace, name)?.spec.modelCatalog?.sources ?? [];
  return sources.flatMap(({ configMap }) => {
    if (configMap === undefined) return [];
    const { key = 'catalog.json' } = configMap;
    const from = `ConfigMap ${namespace}/${configMap.name}, key ${key}`;
    return [{ from, parsed: catalogIn(snapshot.get('ConfigMap', namespace, configMap.name), key) }];
  });
}

const NO_REFERENCE = { group: '', kind: '', name: '' };

function catalogIn(configMap: ConfigMap | undefined, key: string): ParsedCatalog {
  if (configMap === undefined) return { ok: false, problem: 'there is no such ConfigMap' };
  return keysOf(configMap)(key);
}

/** A catalog may be large: it is read once for as long as its ConfigMap does not change. */
const keysOf = perObject(({ data = {} }: ConfigMap) => perKey((key: string) => catalogAt(data, key)));

function catalogAt(data: Readonly<Record<string, string>>, key: string): ParsedCatalog {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  return text === undefined ? { ok: false, problem: 'there is no such key' } : parseModelCatalog(text);
}
