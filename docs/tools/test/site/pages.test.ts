import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test(
  'the page of a clause has its statement, what was seen, the case, the code and the defects',
  { timeout: 120_000 },
  () => {
    execFileSync(process.execPath, ['docs/tools/site/main.ts', '--pages', 'APIKEY-010'], { stdio: 'pipe' });
    const page = readFileSync('.cache/site/clauses/APIKEY-010.md', 'utf8');
    expect(page).toContain('keyHash of form sha256:hex');
    expect(page).toContain('<svg class="sequence"');
    expect(page).toContain('- id: traffic.api-key-authentication.entries');
    expect(page).toMatch(/- `reference-impl\/.+\.ts:\d+` .*APIKEY-010/);
    expect(page).toContain('## Defects its cases catch');
    const guide = readFileSync('.cache/site/docs/guide/plug-in-an-implementation.md', 'utf8');
    expect(guide).toContain('<code v-pre>{{dir}}</code>');
  },
);
