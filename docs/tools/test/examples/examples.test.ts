import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runReadme } from '../support/run-readme.ts';

const PROGRAMS = ['/usr/bin/curl', '/usr/bin/openssl'];
const missing = PROGRAMS.filter((program) => !existsSync(program));
if (missing.length > 0) console.log(`examples are not run: this machine has no ${missing.join(', ')}`);

test.skipIf(missing.length > 0).each(['quick-start', 'llm-gateway', 'mcp-gateway', 'mutual-tls', 'rate-limits'])(
  'examples/%s prints what its README shows',
  { timeout: 60_000 },
  async (name) => {
    const shown = await runReadme(name);
    expect(shown.length).toBeGreaterThan(0);
    for (const { command, expected, printed } of shown)
      expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${expected}`);
  },
);
