import type { Path } from '../../values/check.ts';
import { isList, isObject, type JsonObject } from '../../values/json.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Finding } from './rule.ts';

/**
 * What a provider is reached under without a path, and what signs for it without a region, is shown by the cases of these clauses. Every other
 * case names both, or it would be red for them and hide what it is about.
 */
const OWN_PATH: ReadonlySet<string> = new Set(['PROV-013', 'PROV-039']);
const OWN_REGION: ReadonlySet<string> = new Set(['PROV-028', 'MODEL-037', 'BAUTH-023']);

/** A provider names its path, or stands for a peer (`peer: llm`), which names it. */
export function providersNameTheirPath({ clauses, config, steps, at }: ConcreteCase): readonly Finding[] {
  if (clauses.some(({ id }) => OWN_PATH.has(id)) || PATHLESS.test(JSON.stringify(config))) return [];
  if (!steps.some(({ kind }) => ASKING.has(kind))) return [];
  return places(config, at).flatMap(({ key, value, at: place }) => {
    if (!(key === 'provider' || key === 'providers') || 'peer' in value || hasPath(value)) return [];
    return [
      {
        at: place,
        message: `a provider without path or pathPrefix; write { peer: NAME } for host and port, or cite ${[...OWN_PATH].join(' or ')}`,
      },
    ];
  });
}

/** Whoever calls a model of cloud A names the region it is in and the one that is signed for. */
export function signersNameTheirRegion({ clauses, config, at }: ConcreteCase): readonly Finding[] {
  if (clauses.some(({ id }) => OWN_REGION.has(id)) || !JSON.stringify(config).includes('"vendor7"')) return [];
  return places(config, at).flatMap(({ key, value, at: place }) => {
    const { vendor7 } = value;
    const nameless =
      key === 'cloudA' ? !('region' in value) : isObject(vendor7) && !('region' in vendor7) && !('peer' in value);
    const message = `no region; write one, or cite ${[...OWN_REGION].join(', ')}`;
    return nameless ? [{ at: place, message }] : [];
  });
}

const ASKING: ReadonlySet<string> = new Set(['http', 'llm', 'raw', 'websocket', 'parallel', 'repeat']);

/** Routes of these types have the path of the client. */
const PATHLESS = /"(?:Passthrough|Detect)"/;

/** The others have a path made of their settings, or one for each of their models. */
function hasPath(provider: JsonObject): boolean {
  const { path, pathPrefix, custom, vendor1, vendor4 } = provider;
  if (path !== undefined || pathPrefix !== undefined) return true;
  if (isObject(custom) && isList(custom['formats']))
    return custom['formats'].every((format) => isObject(format) && format['path'] !== undefined);
  return vendor1 === undefined && vendor4 === undefined;
}

interface Place {
  readonly key: string;
  readonly value: JsonObject;
  readonly at: Path;
}

/** Every object of the backends under its key; items of a list under that of the list. */
function places(config: readonly JsonObject[], at: Path): readonly Place[] {
  return config.flatMap((resource, index) =>
    resource['kind'] === 'ProxyBackend' ? below(resource, '', [...at, 'config', index]) : [],
  );
}

function below(value: unknown, key: string, at: Path): readonly Place[] {
  if (isList(value)) return value.flatMap((item, index) => below(item, key, [...at, index]));
  if (!isObject(value)) return [];
  return [{ key, value, at }, ...Object.entries(value).flatMap(([name, inner]) => below(inner, name, [...at, name]))];
}
