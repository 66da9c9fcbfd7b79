import { globSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const pages = '.cache/site';

/** The pages of a folder as entries of the sidebar, by their names. */
function entries(folder: string): { text: string; link: string }[] {
  return globSync(`${pages}/${folder}/*.md`)
    .map((file) => file.slice(pages.length, -'.md'.length))
    .toSorted()
    .map((link) => ({ text: (link.split('/').at(-1) ?? link).replace(/-area$/, '').replaceAll('-', ' '), link }));
}

// Nothing is asked of any other host: no fonts, no search service, no analytics.
export default defineConfig({
  title: 'Proxy conformance',
  description: 'The spec of a proxy for HTTP, LLM, MCP and A2A traffic, taught by cases that run',
  srcDir: `../../${pages}`,
  cleanUrls: false,
  lastUpdated: false,
  rewrites: { 'README.md': 'readme.md', ':folder(.*)/README.md': ':folder/index.md' },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Clauses', link: '/clauses/' },
      { text: 'Guides', link: '/docs/guide/reading-order' },
      { text: 'Decisions', link: '/docs/decisions/' },
    ],
    sidebar: [
      { text: 'Guides', collapsed: false, items: entries('docs/guide') },
      { text: 'Clauses', collapsed: true, items: entries('clauses').filter(({ link }) => link.endsWith('-area')) },
      { text: 'Tables', collapsed: true, items: entries('docs/generated') },
      {
        text: 'Decisions',
        collapsed: true,
        items: entries('docs/decisions').filter(({ link }) => !link.endsWith('README')),
      },
    ],
    outline: { level: 2 },
  },
});
