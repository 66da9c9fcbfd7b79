import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder below the root of the repository into which pages are written. */
export const PAGES = '.cache/site';

interface Item {
  readonly text: string;
  readonly link: string;
}

/** The pages of a folder as entries of the sidebar, by their titles; those that `first` links to come first, in its order. */
export function listPages(folder: string, first = 'README'): Item[] {
  const opening = textOf(`/${folder}/${first}`);
  const rank = ({ link }: Item): number => {
    if (path.basename(link) === first) return -1;
    const at = opening.indexOf(`](${path.basename(link)}.md`);
    return at === -1 ? opening.length : at;
  };
  return globSync(`${PAGES}/${folder}/*.md`)
    .map((file) => file.slice(PAGES.length, -'.md'.length))
    .map((link) => ({ text: titleOf(link), link }))
    .toSorted((one, other) => rank(one) - rank(other) || one.text.localeCompare(other.text, 'en'));
}

/** The first heading of a page; its name where it has none. */
function titleOf(link: string): string {
  return /^# (?<title>.+)$/m.exec(textOf(link))?.groups?.['title']?.replaceAll('`', '') ?? path.basename(link);
}

function textOf(link: string): string {
  try {
    return readFileSync(`${PAGES}${link}.md`, 'utf8');
  } catch {
    return '';
  }
}
