import type { ProxyParameters } from '../../resources/proxy-parameters.ts';
import { CATALOG_KEY } from '../defaults.ts';
import type { JsonObject } from '../../base/json.ts';

type ModelCatalog = ProxyParameters['spec']['modelCatalog'];

const FOLDER = '/etc/proxy/model-catalog';

/** One catalog: a key of a ConfigMap in the Gateway's namespace, and the file the proxy reads it from. */
export interface CatalogFile {
  readonly configMap: string;
  readonly key: string;
  readonly path: string;
}

/** In the order of the sources. */
export function catalogFiles(catalog: ModelCatalog): readonly CatalogFile[] {
  return (catalog?.sources ?? []).flatMap(({ configMap }) => {
    if (configMap === undefined) return [];
    const { name, key = CATALOG_KEY } = configMap;
    return [{ configMap: name, key, path: `${FOLDER}/${name}/${key}` }];
  });
}

/** A volume for each ConfigMap, with the keys that are read from it. */
export function catalogVolumes(catalog: ModelCatalog): readonly JsonObject[] {
  const keys = keysByConfigMap(catalog);
  return [...keys].map(([name, used]) => ({
    name: `model-catalog-${name}`,
    configMap: { name, items: [...used].map((key) => ({ key, path: key })) },
  }));
}

export function catalogMounts(catalog: ModelCatalog): readonly JsonObject[] {
  return [...keysByConfigMap(catalog).keys()].map((name) => ({
    name: `model-catalog-${name}`,
    mountPath: `${FOLDER}/${name}`,
    readOnly: true,
  }));
}

function keysByConfigMap(catalog: ModelCatalog): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const { configMap, key } of catalogFiles(catalog)) {
    keys.set(configMap, (keys.get(configMap) ?? new Set<string>()).add(key));
  }
  return keys;
}
