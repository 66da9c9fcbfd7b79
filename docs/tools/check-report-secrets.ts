// `node docs/tools/check-report-secrets.ts FOLDER`: nothing a run wrote holds a credential that was made for it. A run of everything mints
// tokens, keys and certificates by the thousand; each has a shape that nothing else has.
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** What the mocks and the runner make, by the shape of it. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  'a signed token': /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]{20,}/,
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
  // The same PEM inside the data of a Secret.
  'a private key in base64': /LS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFURS|FQyBQUklWQVRF)/,
  'a key that cloud A lent': /\bASIA[\dA-F]{16}\b/,
};

const folder = process.argv[2] ?? 'reports/latest';
const files = globSync('**/*', { cwd: folder })
  .map((name) => path.join(folder, name))
  .filter((file) => statSync(file).isFile());
const problems = files.flatMap((file) => {
  const text = readFileSync(file, 'latin1');
  return Object.entries(SHAPES).flatMap(([what, shape]) => {
    const at = text.search(shape);
    // The place and not the thing: this output is kept too.
    return at < 0 ? [] : [`${file}: ${what} at byte ${at}`];
  });
});
for (const problem of problems) console.error(problem);
console.log(`secrets: ${files.length} files of ${folder}, ${problems.length} problems`);
process.exitCode = files.length > 0 && problems.length === 0 ? 0 : 1;
