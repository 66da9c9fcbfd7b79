import { ACCESS_REVIEWS } from './access-review.ts';
import { type ApiAnswer, ok } from './answer.ts';
import { EXTENSIONS } from './paths.ts';
import { SERVED_KINDS, type ServedKind } from './served-kinds.ts';
import { noSuchPath } from './status-errors.ts';

/** What this server is to clients that ask for its version; they choose their habits by it. */
const VERSION = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.0+refproxy',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};

/** Every kind is built in; with an error here instead, clients could not say which kind is unknown. */
const NO_EXTENSIONS = {
  kind: 'CustomResourceDefinitionList',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { resourceVersion: '1' },
  items: [],
};

/** The documents that tell clients which kinds there are and where. */
export function discoveryDocument(steps: readonly string[]): ApiAnswer {
  const [root = '', group, version] = steps;
  if (root === 'version' && steps.length === 1) return ok(VERSION);
  if (root === 'api' && steps.length === 1) return ok({ kind: 'APIVersions', versions: ['v1'] });
  if (root === 'api' && steps.length === 2) return resourceList(group ?? '');
  if (steps.join('/') === EXTENSIONS) return ok(NO_EXTENSIONS);
  if (root !== 'apis') return noSuchPath();
  if (steps.length === 1) return ok({ kind: 'APIGroupList', apiVersion: 'v1', groups: groups() });
  if (steps.length === 3) return resourceList(`${group ?? ''}/${version ?? ''}`);
  const found = groups().find(({ name }) => name === group);
  return found === undefined ? noSuchPath() : ok({ kind: 'APIGroup', apiVersion: 'v1', ...found });
}

function groups() {
  const named = SERVED_KINDS.filter(({ group }) => group !== '');
  const served = [...Map.groupBy(named, ({ group }) => group)].map(([name, kinds]) => {
    const versions = [...new Map(kinds.map(({ apiVersion, version }) => [apiVersion, version]))].map(
      ([groupVersion, version]) => ({ groupVersion, version }),
    );
    return { name, versions, preferredVersion: versions[0] };
  });
  const { group: name, version, apiVersion: groupVersion } = ACCESS_REVIEWS;
  const only = { groupVersion, version };
  return [...served, { name, versions: [only], preferredVersion: only }];
}

function resourceList(groupVersion: string): ApiAnswer {
  if (groupVersion === ACCESS_REVIEWS.apiVersion) {
    const { plural: name, name: kind } = ACCESS_REVIEWS;
    const resources = [{ name, singularName: kind.toLowerCase(), namespaced: false, kind, verbs: ['create'] }];
    return ok({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
  }
  const kinds = SERVED_KINDS.filter(({ apiVersion }) => apiVersion === groupVersion);
  if (kinds.length === 0) return noSuchPath();
  return ok({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: kinds.flatMap(resourcesOf) });
}

const VERBS: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function resourcesOf({ plural, singular, name, namespaced, shortNames, categories }: ServedKind): object[] {
  const names = {
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
  return [
    { name: plural, singularName: singular, namespaced, kind: name, verbs: VERBS, ...names },
    { name: `${plural}/status`, singularName: '', namespaced, kind: name, verbs: ['get'] },
  ];
}
