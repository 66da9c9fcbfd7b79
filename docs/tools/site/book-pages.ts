import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Prose of the repository that the site takes over, at the same paths, so that pages find each other. */
const TAKEN = [
  'docs/guide/*.md',
  'docs/decisions/*.md',
  'docs/security/*.md',
  'docs/generated/**/*.md',
  'conformance/**/README.md',
  'mocks/**/README.md',
  'reference-impl/README.md',
  'examples/**/README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'README.md',
] as const;

const LINK = /\[([^\]\n]*)\]\(([^)\s]+)\)/g;

/** The pages by their path in the site, and a front page. Links to what is no page become text. */
export function bookPages(): Readonly<Record<string, string>> {
  const files = globSync([...TAKEN]).filter((file) => !file.includes('node_modules'));
  const taken = new Set(files);
  const pages = files.map(
    (file) => [file, withoutTemplates(withoutLostLinks(readFileSync(file, 'utf8'), file, taken))] as const,
  );
  return { ...Object.fromEntries(pages), 'index.md': FRONT };
}

function withoutLostLinks(text: string, file: string, taken: ReadonlySet<string>): string {
  return text.replaceAll(LINK, (written: string, name: string, target: string) => {
    if (/^(https?:|#)/.test(target)) return written;
    const [place = ''] = target.split('#');
    const found = path.join(path.dirname(file), place);
    if (taken.has(found)) return written;
    const readme = path.join(found, 'README.md');
    if (taken.has(readme)) return `[${name}](${path.posix.join(place, 'README.md')})`;
    return existsSync(found) && !name.includes('`') ? `\`${name}\`` : name;
  });
}

/** Double braces are code of the site in VitePress, except in fences. */
function withoutTemplates(text: string): string {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part) =>
      part.startsWith('```') ? part : part.replaceAll(/`([^`\n]*\{\{[^`\n]*)`/g, '<code v-pre>$1</code>'),
    )
    .join('');
}

const FRONT = `---
layout: home
hero:
  name: The spec, by example
  tagline: A proxy for HTTP, LLM, MCP and A2A traffic. Every clause with a case that shows it, what was seen, and the code that decides it.
  actions:
    - { theme: brand, text: Clauses by area, link: /clauses/ }
    - { theme: alt, text: Where to start reading, link: /docs/guide/reading-order }
features:
  - title: Judge a proxy
    details: A first verdict on an implementation of yours in a quarter of an hour.
    link: /docs/guide/first-verdict
  - title: Learn what policies do
    details: Which policy wins, and when each of them acts. Commands to type, and what they print.
    link: /docs/guide/merging
  - title: Read the reference
    details: The whole spec as a proxy that is read like a book.
    link: /reference-impl/
  - title: Where the spec is silent
    details: What the reference chose there, and what the suite then does not judge.
    link: /docs/decisions/
---
`;
