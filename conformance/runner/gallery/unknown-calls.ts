import type { Sources } from './declarations.ts';
import { applyAll, type Replacement } from './replacement.ts';

/**
 * Functions that the replacements of a defect call and that their files do not know, since what they import or declare has
 * changed: such a defect would be killed by the error of the call, whatever the cases see. Read from the text: a name is
 * known where it is declared as a function, or stands without being called.
 */
export function unknownCalls(replacements: readonly Replacement[], { texts }: Sources): readonly string[] {
  const files = [...new Set(replacements.map(({ file }) => file))];
  return files.flatMap((file) => {
    const text = texts.get(file) ?? '';
    const mine = replacements.filter((one) => one.file === file);
    const code = withoutTexts(applyAll(text, mine));
    const called = new Set(mine.flatMap((one) => callsOf(one, text)));
    const unknown = [...called].filter((name) => !isKnown(name, code));
    return unknown.map((name) => `${file} does not know ${name}, which the replacement calls`);
  });
}

/** What is called by its name alone; of the text before the replacement only whether it ends with a dot counts. */
function callsOf({ at, replace }: Replacement, text: string): readonly string[] {
  const dot = /(?<!\.)\.\s*$/.test(text.slice(0, at).slice(-80)) ? '.' : '';
  return [...withoutTexts(dot + replace).matchAll(/(?<![\w$#]|(?<!\.)\.\s*)[A-Za-z_$][\w$]*(?=\()/g)].map(
    ([name]) => name,
  );
}

const KEYWORDS: ReadonlySet<string> = new Set(
  'async await catch delete for function if in of return super switch throw typeof void while yield'.split(' '),
);

function isKnown(name: string, code: string): boolean {
  if (KEYWORDS.has(name) || name in globalThis) return true;
  return new RegExp(String.raw`\bfunction\*? ${literal(name)}\b|(?<![\w$])${literal(name)}(?![\w$(])`).test(code);
}

function literal(name: string): string {
  return name.replaceAll('$', String.raw`\$`);
}

/** Without comments and quoted texts. */
function withoutTexts(code: string): string {
  return code.replaceAll(/\/\*[^]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, ' ');
}
