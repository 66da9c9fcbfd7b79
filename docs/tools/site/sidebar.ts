import { globSync } from 'node:fs';

/** The folder below the root of the repository into which pages are written. */
export const PAGES = '.cache/site';

/** The pages of a folder as entries of the sidebar, by their names. */
export function listPages(folder: string): { text: string; link: string }[] {
  return globSync(`${PAGES}/${folder}/*.md`)
    .map((file) => file.slice(PAGES.length, -'.md'.length))
    .toSorted()
    .map((link) => ({ text: (link.split('/').at(-1) ?? link).replace(/-area$/, '').replaceAll('-', ' '), link }));
}
