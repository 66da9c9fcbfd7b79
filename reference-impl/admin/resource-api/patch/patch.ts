import { type Fields, isFields } from '../../../resources/groups.ts';
import type { ObjectPath } from '../paths.ts';
import type { JsonAnswer } from '../answer.ts';
import { applyObject } from '../apply.ts';
import { parseFields, parseOperations, readBody, type ReadValue, unfit, unknownFormat, valueLimit } from '../body.ts';
import type { Handler } from '../call.ts';
import { compileAhead } from '../compile-ahead.ts';
import { liveAt, update } from '../objects.ts';
import { isBuiltIn, type ServedKind } from '../served-kinds.ts';
import { badRequest, failure, notFound } from '../status-errors.ts';
import { writeOptions } from '../write-options.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

/** Gives the patched object for the text of a patch. */
type Patch = (kind: ServedKind, live: Fields, text: string) => ReadValue<unknown>;

const PATCHES: Readonly<Record<string, Patch>> = {
  'application/merge-patch+json': (kind, live, text) => {
    const patch = parseFields(text, valueLimit(kind));
    return patch.ok ? { ok: true, value: mergePatch(live, patch.value) } : patch;
  },
  'application/json-patch+json': (kind, live, text) => {
    const operations = parseOperations(text, valueLimit(kind));
    if (!operations.ok) return operations;
    const patched = jsonPatch(live, operations.value);
    if ('refused' in patched) return { ok: false, answer: badRequest(patched.refused) };
    if ('failed' in patched) return { ok: false, answer: failure(422, 'Invalid', patched.failed) };
    return { ok: true, value: patched.value };
  },
  'application/strategic-merge-patch+json': (kind, live, text) => {
    if (!isBuiltIn(kind)) return { ok: false, answer: unsupportedPatch(kind) };
    const patch = parseFields(text, valueLimit(kind));
    if (!patch.ok) return patch;
    const merged = strategicMergePatch(kind.name, live, patch.value);
    return 'refused' in merged ? { ok: false, answer: badRequest(merged.refused) } : { ok: true, value: merged.value };
  },
};

/** The media types of server-side apply; its body may be JSON as well. */
const APPLY_TYPES: readonly string[] = ['application/apply-patch+yaml', 'application/apply-patch+json'];

/** Changes an object, or applies a configuration to it; the media type says how. */
export const patchObject: Handler<ObjectPath> = async (call, path) => {
  const read = await readBody(call.request);
  if (!read.ok) return read.answer;
  const { mediaType, text } = read.body;
  if (APPLY_TYPES.includes(mediaType)) return applyObject(call, path, text);
  const patch = Object.hasOwn(PATCHES, mediaType) ? PATCHES[mediaType] : undefined;
  if (patch === undefined) return unsupportedPatch(path.kind);
  const options = writeOptions(call);
  if ('refused' in options) return options.refused;

  // A first time for what there is to compile, and a second for what is there once that is done.
  const foreseen = patch(path.kind, liveAt(call, path)?.object ?? {}, text);
  if (foreseen.ok) await compileAhead(path.kind, foreseen.value, call.context.clock);
  const live = liveAt(call, path);
  if (live === undefined) return notFound(path.kind, path.name);
  const patched = patch(path.kind, live.object, text);
  if (!patched.ok) return patched.answer;
  if (!isFields(patched.value)) return badRequest('the patch leaves no object');
  return unfit(patched.value, valueLimit(path.kind)) ?? update(call, path, { sent: patched.value, live, options });
};

function unsupportedPatch(kind: ServedKind): JsonAnswer {
  const types = [...Object.keys(PATCHES), ...APPLY_TYPES];
  return unknownFormat(types.filter((type) => isBuiltIn(kind) || !type.includes('strategic')));
}
