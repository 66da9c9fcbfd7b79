import { pathText, type Violation } from '../../admission/violation.ts';
import type { JsonAnswer } from './answer.ts';
import { qualifiedKind, resourceName, type ServedKind } from './served-kinds.ts';

/** One reason for a refusal, at one field. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
}

/** A refusal as the `Status` object clients expect. */
export function failure(code: number, reason: string, message: string, details?: Details): JsonAnswer {
  return { code, body: statusObject('Failure', { message, reason, details: details ?? {}, code }) };
}

export function statusObject(status: 'Success' | 'Failure', members: object): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status, ...members };
}

export function badRequest(message: string): JsonAnswer {
  return failure(400, 'BadRequest', message);
}

export function notFound(kind: ServedKind, name: string): JsonAnswer {
  return failure(404, 'NotFound', `${resourceName(kind)} "${name}" not found`, detailsOf(kind, name));
}

/** For paths that name nothing at all. */
export function noSuchPath(): JsonAnswer {
  return failure(404, 'NotFound', 'the server could not find the requested resource');
}

export function methodNotAllowed(allow: readonly string[], why?: string): JsonAnswer {
  const message = why ?? 'the server does not allow this method on the requested resource';
  return { ...failure(405, 'MethodNotAllowed', message), allow };
}

export function unsupportedMediaType(message: string): JsonAnswer {
  return failure(415, 'UnsupportedMediaType', message);
}

export function tooLarge(message: string): JsonAnswer {
  return failure(413, 'RequestEntityTooLarge', message);
}

export function alreadyExists(kind: ServedKind, name: string, where: string): JsonAnswer {
  const message = `${resourceName(kind)} "${name}" already exists${where}`;
  return failure(409, 'AlreadyExists', message, detailsOf(kind, name));
}

export function conflict(kind: ServedKind, name: string, why: string, causes?: readonly Cause[]): JsonAnswer {
  const message = `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`;
  return failure(409, 'Conflict', message, { ...detailsOf(kind, name), ...(causes === undefined ? {} : { causes }) });
}

/** A client asks for a past that is not kept. */
export function expiredAnswer(message: string): JsonAnswer {
  return failure(410, 'Expired', message);
}

/** ADMIT-153: everything that is wrong with a submitted object at once, each with the clause that demands it. */
export function invalid(kind: ServedKind, name: string, violations: readonly Violation[]): JsonAnswer {
  const causes = violations.slice(0, MAX_CAUSES).map(causeOf);
  const texts = causes.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  const more = violations.length > causes.length ? [`and ${violations.length - causes.length} more`] : [];
  const all = [...texts, ...more];
  const message = `${qualifiedKind(kind)} "${name}" is invalid: ${all.length === 1 ? (all[0] ?? '') : `[${all.join(', ')}]`}`;
  return failure(422, 'Invalid', message, { ...detailsOf(kind, name), kind: kind.name, causes });
}

const MAX_CAUSES = 200;

export function detailsOf(kind: ServedKind, name: string): Details {
  return { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural };
}

/** What a message says, as one of the words clients know. */
const CAUSE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^required$/, 'FieldValueRequired'],
  [/^unknown field /, 'FieldValueForbidden'],
  [/^must be one of /, 'FieldValueNotSupported'],
  [/ is used twice$/, 'FieldValueDuplicate'],
  [/^expected string to have <=/, 'FieldValueTooLong'],
  [/^expected array to have <=/, 'FieldValueTooMany'],
];

function causeOf({ path, message, clause }: Violation): Cause {
  const reason = CAUSE_REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'FieldValueInvalid';
  return { field: pathText(path), reason, message: clause === undefined ? message : `${message} [${clause}]` };
}
