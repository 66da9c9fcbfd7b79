import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The sources of every message that goes over gRPC. */
export const PROTO_FOLDER = 'mocks/wire/proto';
/** Where the modules made of them are kept. */
export const WIRE_FOLDERS = ['mocks/wire/gen', 'reference-impl/upstream/wire'];
/** In each of them: the hash of the sources it was made from. */
export const STAMP = 'sources.sha256';

/** sha256 over names and texts of the sources. */
export function protoHash(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(PROTO_FOLDER).toSorted()) {
    hash.update(`${file}\n`);
    hash.update(readFileSync(path.join(PROTO_FOLDER, file)));
  }
  return hash.digest('hex');
}

/** What is wrong with the generated folders, a line each: made from other sources, or edited on one side. */
export function wireProblems(): string[] {
  const wanted = protoHash();
  const [first = '', ...others] = WIRE_FOLDERS;
  const made = WIRE_FOLDERS.filter((folder) => read(folder, STAMP).trim() !== wanted).map(
    (folder) => `${folder} was not made from ${PROTO_FOLDER} as it is: npm run generate:wire`,
  );
  const edited = others.flatMap((folder) =>
    readdirSync(first)
      .filter((file) => read(first, file) !== read(folder, file))
      .map((file) => `${folder}/${file} is not ${first}/${file}`),
  );
  return [...made, ...edited];
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(path.join(folder, file), 'utf8');
  } catch {
    return '';
  }
}
