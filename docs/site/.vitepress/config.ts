import { defineConfig } from 'vitepress';
import { listPages, PAGES } from '../../tools/site/sidebar.ts';

// Nothing is asked of any other host: no fonts, no search service, no analytics.
export default defineConfig({
  title: 'Proxy conformance',
  description: 'The spec of a proxy for HTTP, LLM, MCP and A2A traffic, taught by cases that run',
  // No page asks for a picture that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: `../../${PAGES}`,
  rewrites: { 'README.md': 'readme.md', ':folder(.*)/README.md': ':folder/index.md' },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Clauses', link: '/clauses/' },
      { text: 'Guides', link: '/docs/guide/reading-order' },
      { text: 'Decisions', link: '/docs/decisions/' },
    ],
    sidebar: [
      { text: 'Guides', collapsed: false, items: listPages('docs/guide', 'reading-order') },
      { text: 'Clauses', collapsed: true, items: listPages('clauses').filter(({ link }) => link.endsWith('-area')) },
      { text: 'Tables', collapsed: true, items: listPages('docs/generated') },
      { text: 'Decisions', collapsed: true, items: listPages('docs/decisions').filter(isNoContents) },
    ],
    outline: { level: 2 },
  },
});

function isNoContents({ link }: { readonly link: string }): boolean {
  return !link.endsWith('README');
}
