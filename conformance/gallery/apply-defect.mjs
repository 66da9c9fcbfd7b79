// Preloaded into every process of the implementation (`node --import`): replaces texts in its source files as they are
// loaded, so that a broken variant runs without a switch in the source. CONFORM_DEFECT names a JSON file
// `{root, edits: [{file, find, replace}]}`; a text that does not occur exactly once ends the process.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const named = process.env.CONFORM_DEFECT;
// A Node without loader hooks is too old to run the sources: it hands over to one that inherits these variables.
if (named !== undefined && module.registerHooks !== undefined) {
  const { root, edits } = JSON.parse(readFileSync(named, 'utf8'));
  module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:')) return loaded;
      const file = path.relative(root, fileURLToPath(url));
      const due = edits.filter((edit) => edit.file === file);
      if (due.length === 0) return loaded;
      let source = Buffer.from(loaded.source ?? '').toString();
      for (const { find, replace } of due) {
        const parts = source.split(find);
        if (parts.length !== 2) {
          console.error(`defect: the text to replace occurs ${parts.length - 1} times in ${file}: ${find}`);
          process.exit(3);
        }
        source = parts.join(replace);
      }
      return { ...loaded, source };
    },
  });
}
