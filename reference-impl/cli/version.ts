import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The version of the package this file belongs to, in a checkout and in an installed package alike. */
export function version(): string {
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const manifest = readManifest(path.join(folder, 'package.json'));
    if (manifest !== undefined) return manifest;
  }
  return '0.0.0';
}

function readManifest(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Not every folder on the way up has one.
    return undefined;
  }
  const manifest: unknown = JSON.parse(text);
  const named = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return named && typeof manifest.version === 'string' ? manifest.version : undefined;
}
