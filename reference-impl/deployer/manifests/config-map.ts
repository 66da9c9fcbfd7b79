import type { TypedParameters } from '../merge-parameters.ts';
import { isJsonObject, type JsonObject, jsonObjectOf } from '../../base/json.ts';
import { yamlText } from '../../base/yaml-text.ts';
import type { Manifest } from '../manifest.ts';
import { catalogFiles } from './model-catalog.ts';
import { objectMeta, type Owner } from './object-meta.ts';

export const CONFIG_FILE = 'config.yaml';

/** The configuration file the proxy starts with. */
export function configMap(owner: Owner, parameters: TypedParameters): Manifest {
  const file = overlaid(jsonObjectOf(parameters.rawConfig ?? {}), { config: typedConfig(parameters) });
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: objectMeta(owner),
    data: { [CONFIG_FILE]: yamlText(file) },
  };
}

/** PARAM-007: a format that nobody set is not written, so that rawConfig can set it; the proxy's own default is text. */
function typedConfig({ logging, modelCatalog }: TypedParameters): JsonObject {
  const files = catalogFiles(modelCatalog);
  return {
    ...(logging?.format !== undefined && { logging: { format: logging.format } }),
    ...(files.length > 0 && { modelCatalog: files.map(({ path }) => ({ file: path })) }),
  };
}

/** PARAM-009, PARAM-010: objects merge, and the typed value of a setting wins over the raw one. */
function overlaid(raw: JsonObject, typed: JsonObject): JsonObject {
  const merged = new Map(Object.entries(raw));
  for (const [name, value] of Object.entries(typed)) {
    const below = merged.get(name);
    merged.set(name, isJsonObject(below) && isJsonObject(value) ? overlaid(below, value) : value);
  }
  return Object.fromEntries(merged);
}
