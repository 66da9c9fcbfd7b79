// Preloaded into every process of the implementation (`node --import`): replaces texts in its source files as they are
// loaded, so that a broken variant runs without a switch in the source. CONFORM_DEFECT names a JSON file
// `{root, replacements: [{file, at, text, replace}]}`, the last place of a file first; a file that has another text there
// was changed since the places were looked up, and ends the process.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const named = process.env.CONFORM_DEFECT;
// A Node without loader hooks is too old to run the sources: it hands over to one that inherits these variables.
if (named !== undefined && module.registerHooks !== undefined) {
  const { root, replacements } = JSON.parse(readFileSync(named, 'utf8'));
  module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:')) return loaded;
      const file = path.relative(root, fileURLToPath(url)).split(path.sep).join('/');
      const due = replacements.filter((one) => one.file === file);
      if (due.length === 0) return loaded;
      let source = Buffer.from(loaded.source ?? '').toString();
      for (const { at, text, replace } of due) {
        if (source.slice(at, at + text.length) !== text) {
          console.error(`defect: ${file} was changed: at ${at} it has another text than ${text}`);
          process.exit(3);
        }
        source = source.slice(0, at) + replace + source.slice(at + text.length);
      }
      return { ...loaded, source };
    },
  });
}
