import type { JsonAnswer } from './answer.ts';
import type { ApiCall } from './call.ts';
import { badRequest } from './status-errors.ts';

/** How a client wants its write to be handled. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** What becomes of fields the schema does not know. */
  readonly fieldValidation: FieldValidation;
  /** Who writes, as `managedFields` names it. */
  readonly manager: string;
  readonly force: boolean;
}

export type FieldValidation = (typeof FIELD_VALIDATIONS)[number];

const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const;

/** The options of the query, or why they are refused. Unknown fields are errors unless the client says otherwise. */
export function writeOptions({ query, request }: ApiCall): WriteOptions | { readonly refused: JsonAnswer } {
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) return { refused: badRequest('dryRun: supported values: "All"') };

  const wanted = query.get('fieldValidation') ?? 'Strict';
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === wanted);
  if (fieldValidation === undefined) {
    return { refused: badRequest(`fieldValidation: supported values: ${FIELD_VALIDATIONS.join(', ')}`) };
  }

  const manager = query.get('fieldManager') ?? agentOf(request.headers['user-agent']);
  if (!/^[\x20-\x7e]{1,128}$/.test(manager)) {
    return { refused: badRequest('fieldManager: must be 1 to 128 printable characters') };
  }
  return { dryRun: dryRun.length > 0, fieldValidation, manager, force: query.get('force') === 'true' };
}

/** `kubectl` of `kubectl/v1.32 (linux/amd64)`. */
function agentOf(userAgent: string | undefined): string {
  const name = (userAgent ?? '').split('/', 1)[0]?.slice(0, 128) ?? '';
  return name === '' ? 'unknown' : name;
}
