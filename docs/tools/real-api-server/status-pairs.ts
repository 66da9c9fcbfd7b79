import { askReference, type CaseDocument, type Json, type Pair } from '../verdicts.ts';
import { type ApiClient, verdictOn } from './api-client.ts';

/** A resource that a case begins with, and all it begins with. */
interface Subject extends CaseDocument {
  readonly resources: readonly Json[];
}

/**
 * For every resource that a case begins with and that the reference gives a status: whether the server takes that status. The resources are
 * created for it; the status is written as dry run. Cases with a resource that either of the two refuses have none.
 */
export async function statusPairs(
  documents: readonly CaseDocument[],
  creations: readonly Pair[],
  client: ApiClient,
): Promise<readonly Pair[]> {
  const refused = new Set(
    creations.filter(({ server, reference }) => !server.accepted || !reference.accepted).map(({ id }) => id),
  );
  const subjects = begunCases(documents).flatMap((begun) => {
    const resources = begun.map(({ resource }) => resource);
    return begun.some(({ id }) => refused.has(id)) ? [] : begun.map((document) => ({ ...document, resources }));
  });
  const answers = askReference(subjects.map((subject) => ['status', questionOf(subject)]));
  const pairs: Pair[] = [];
  for (const [index, { id, resource }] of subjects.entries()) {
    const { status } = answers[index] as { readonly status: unknown };
    const path = status === null ? undefined : await client.pathOf(resource);
    if (path === undefined) continue;
    const created = await client.send('POST', path, resource);
    if (created.status !== 201) throw new Error(`${id} cannot be created: ${String(created.body['message'])}`);
    const place = `${path}/${nameOf(resource)}/status?dryRun=All&fieldValidation=Strict`;
    const server = verdictOn(await client.send('PUT', place, { ...created.body, status: withTimes(status) }));
    pairs.push({ id: `${id}@status`, server, reference: { accepted: true, errors: [] } });
  }
  return pairs;
}

/** What each case begins with. */
function begunCases(documents: readonly CaseDocument[]): readonly (readonly CaseDocument[])[] {
  const configured = documents.filter(({ id }) => /#config(\.\d+)?$/.test(id));
  return [...Map.groupBy(configured, ({ id }) => id.slice(0, id.lastIndexOf('#'))).values()];
}

function questionOf({ resource, resources }: Subject): Json {
  const { namespace } = resource['metadata'] as Json;
  return { resources, kind: resource['kind'], name: nameOf(resource), namespace };
}

function nameOf({ metadata }: Json): string {
  return String((metadata as Json)['name']);
}

/** Conditions of the reference have no history; whoever writes them adds since when they hold. */
function withTimes(status: unknown): unknown {
  if (Array.isArray(status)) return status.map(withTimes);
  if (typeof status !== 'object' || status === null) return status;
  const members = Object.fromEntries(Object.entries(status).map(([name, value]) => [name, withTimes(value)]));
  const isCondition = typeof members['type'] === 'string' && typeof members['status'] === 'string';
  return isCondition ? { ...members, lastTransitionTime: '2026-01-01T00:00:00Z' } : members;
}
