import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { admit } from '../../admission/admit.ts';
import { checkExpression } from '../../cel/check-expression.ts';
import { MAX_OBJECT_BYTES } from '../../admission/shape.ts';
import { pathText, type Violation } from '../../admission/violation.ts';
import { rfc3339 } from '../../base/clock.ts';
import { type Fields, isFields } from '../../resources/groups.ts';
import { keyOf, type KindName, type Resource, resourceKey } from '../../resources/kinds.ts';
import { type JsonAnswer, ok } from './answer.ts';
import type { ResourceApiContext } from './call.ts';
import { pruneUnknown } from './field-validation.ts';
import type { KnownObject } from './known-objects.ts';
import { managedFieldsIn, withoutManagerTimes } from './managed-fields.ts';
import { placeholderViolations } from './redaction.ts';
import type { ServedKind } from './served-kinds.ts';
import { shownObject } from './shown-object.ts';
import { badRequest, conflict, invalid, notFound, tooLarge } from './status-errors.ts';
import type { WriteOptions } from './write-options.ts';

/** An object on its way into the store. */
export interface Submission {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  /** The whole object as it should be from now on. */
  readonly object: Fields;
  /** What it replaces; undefined when it is new. */
  readonly live: KnownObject | undefined;
  /** The entries of `managedFields` once this is in. */
  readonly managedFields: readonly object[];
  readonly options: WriteOptions;
}

/**
 * Checks an object and puts it in force. Reading and writing are one step: nothing is awaited between the caller's look
 * at `live` and the change. Answers when the new configuration is live: 201 when it is new, otherwise 200.
 */
export async function submit(submission: Submission, context: ResourceApiContext): Promise<JsonAnswer> {
  const { kind, namespace, name, live, options } = submission;
  const misplaced = placeProblem(submission, context);
  if (misplaced !== undefined) return misplaced;

  const known = pruneUnknown(kind, withServerMetadata(submission, context), options.fieldValidation);
  if (JSON.stringify(known.object).length > MAX_OBJECT_BYTES)
    return tooLarge(`an object may have ${MAX_OBJECT_BYTES} bytes`);
  const admission = admit(known.object, checkExpression);
  const violations = [...(admission.ok ? [] : admission.violations), ...placeholderViolations(known.object)];
  if (!admission.ok || violations.length > 0) return invalid(kind, name, violations);
  const warnings = [...known.warnings, ...admission.warnings.map(warningText)];

  const code = live === undefined ? 201 : 200;
  const { resource } = admission;
  if (live !== undefined && isSame(live.stored, resource)) return ok(live.object, warnings);
  const key = resourceKey(kind.name, namespace, name);
  if (options.dryRun) return { code, body: preview(key, resource, live), warnings };

  context.source.put(resource);
  // Looked up before anybody else can change it.
  const body = context.objects.get(keyOf(resource))?.object ?? resource;
  await context.live();
  return { code, body, warnings };
}

/** Why the object does not belong where it was sent, or may not be changed. */
function placeProblem(submission: Submission, { source, objects }: ResourceApiContext): JsonAnswer | undefined {
  const { kind, namespace, name, object, live } = submission;
  if (object['kind'] !== kind.name || object['apiVersion'] !== kind.apiVersion) {
    return badRequest(`the object must be of kind ${kind.name} in ${kind.apiVersion}`);
  }
  const metadata = isFields(object['metadata']) ? object['metadata'] : {};
  const own = metadata['namespace'];
  if (kind.namespaced && own !== undefined && own !== namespace) {
    return badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (metadata['name'] !== undefined && metadata['name'] !== name) {
    return badRequest(
      `the name of the object (${shortText(metadata['name'])}) does not match the name on the URL (${name})`,
    );
  }
  const owner = source.ownedElsewhere(resourceKey(kind.name, namespace, name));
  if (owner !== undefined) return conflict(kind, name, `the object comes from ${owner}; change it there`);
  if (live !== undefined) return staleProblem(submission, live, metadata);
  const home = resourceKey('Namespace', '', namespace);
  if (kind.namespaced && objects.get(home) === undefined) {
    return notFound({ ...kind, group: '', plural: 'namespaces' }, namespace);
  }
  return undefined;
}

function staleProblem({ kind, name }: Submission, live: KnownObject, metadata: Fields): JsonAnswer | undefined {
  const { resourceVersion, uid } = metadata;
  if (uid !== undefined && uid !== '' && uid !== live.object.metadata.uid) {
    return conflict(kind, name, 'the uid is that of another object');
  }
  const seen = resourceVersion === undefined || resourceVersion === '' ? undefined : resourceVersion;
  if (seen === undefined || seen === live.object.metadata.resourceVersion) return undefined;
  return conflict(
    kind,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** Members clients may send and cannot set. */
const SERVER_MEMBERS: readonly string[] = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generateName',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

function withServerMetadata(submission: Submission, { clock }: ResourceApiContext): Fields {
  const { kind, namespace, name, object, live, managedFields } = submission;
  const rest = settable(kind.name, object);
  const sent = isFields(object['metadata']) ? object['metadata'] : {};
  const kept = Object.fromEntries(Object.entries(sent).filter(([member]) => !SERVER_MEMBERS.includes(member)));
  const metadata = {
    ...kept,
    name,
    ...(kind.namespaced ? { namespace } : {}),
    uid: live?.object.metadata.uid ?? randomUUID(),
    creationTimestamp: live?.object.metadata.creationTimestamp ?? rfc3339(clock.wall()),
    ...(managedFields.length === 0 ? {} : { managedFields }),
  };
  return { ...rest, metadata };
}

/** The status of a Pod is no result of the configuration: who writes the Pod has to say it. */
const STATUS_IS_GIVEN: ReadonlySet<KindName> = new Set<KindName>(['Pod']);

/** Without what the server computes. */
function settable(kind: KindName, object: Fields): Fields {
  if (STATUS_IS_GIVEN.has(kind)) return object;
  const { status: _, ...rest } = object;
  return rest;
}

/** Whether nothing would change but the times of managers. */
function isSame(before: Resource, after: Resource): boolean {
  return isDeepStrictEqual(comparable(before), comparable(after));
}

function comparable(resource: Resource): object {
  const { generation: _g, resourceVersion: _v, uid: _u, ...metadata } = resource.metadata;
  const managedFields = withoutManagerTimes(managedFieldsIn(resource));
  const rest = settable(resource.kind, { ...resource });
  return { ...rest, metadata: { ...metadata, managedFields } };
}

/** What a dry run answers: the object as it would be, at the version it would replace. */
function preview(key: string, resource: Resource, live: KnownObject | undefined): object {
  const shown = shownObject(key, resource, live?.object.status, live?.version ?? 0);
  const { resourceVersion, ...metadata } = shown.metadata;
  if (live === undefined) return { ...shown, metadata };
  return { ...shown, metadata: { ...metadata, resourceVersion, generation: live.object.metadata.generation } };
}

function warningText({ path, message }: Violation): string {
  return `${pathText(path)}: ${message}`;
}

function shortText(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
