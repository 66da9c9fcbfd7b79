// `npm run generate:wire`: the messages of mocks/wire/proto as modules, one copy for the mocks and one for the
// reference, so that data is shared and code is not. Needs `protoc` (Debian: protobuf-compiler) and the network once.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROTO_FOLDER, protoHash, STAMP, WIRE_FOLDERS } from './wire-sources.ts';

const PLUGIN = '@bufbuild/protoc-gen-es@2.17.0';

const tools = mkdtempSync(path.join(tmpdir(), 'wire-'));
try {
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', tools, PLUGIN], { stdio: 'inherit' });
  for (const folder of WIRE_FOLDERS) generate(folder);
} finally {
  rmSync(tools, { recursive: true, force: true });
}

function generate(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sources = readdirSync(PROTO_FOLDER).filter((file) => file.endsWith('.proto'));
  const plugin = path.join(tools, 'node_modules/.bin/protoc-gen-es');
  execFileSync(
    'protoc',
    [
      `--plugin=protoc-gen-es=${plugin}`,
      `--proto_path=${PROTO_FOLDER}`,
      `--es_out=${folder}`,
      '--es_opt=target=js+dts,import_extension=js',
      ...sources,
    ],
    { stdio: 'inherit' },
  );
  writeFileSync(path.join(folder, STAMP), `${protoHash()}\n`);
}
