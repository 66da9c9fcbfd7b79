import type { Sources } from './declarations.ts';
import type { Defect } from './defects.ts';
import { locateEdits } from './locate-edits.ts';
import { applyAll } from './replacement.ts';

/**
 * Edits whose result is no TypeScript, such as an `await` in a function that is not async any more: such a reference does not start, and what
 * cannot start is caught by nothing. Edits that do not apply are nothing to this.
 */
export async function unreadableEdits(defects: readonly Defect[], sources: Sources): Promise<readonly string[]> {
  // Only a clone has it, and only a clone has sources to edit.
  const { parseSync } = await import('rolldown/utils');
  return defects.flatMap(({ id, place, edits }) => {
    const byFile = Map.groupBy(locateEdits(edits, sources).replacements, ({ file }) => file);
    return [...byFile].flatMap(([file, ofFile]) => {
      const { errors } = parseSync(file, applyAll(sources.texts.get(file) ?? '', ofFile));
      return errors.map(({ message }) => `${place}: ${id}: with the edits ${file} cannot be read: ${message}`);
    });
  });
}
