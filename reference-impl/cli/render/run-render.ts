import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { yamlText } from '../../base/yaml-text.ts';
import type { Manifest } from '../../deployer/manifest.ts';
import { provisioningOf } from '../../deployer/render-input.ts';
import { render } from '../../deployer/render.ts';
import type { Resource } from '../../resources/kinds.ts';
import { isError, problemText, readResourceFile } from '../../store/sources/resource-file.ts';
import { version } from '../version.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface RenderFlags {
  /** A file, a folder, or `-`. */
  readonly file: string;
  readonly gateway?: string;
  readonly output: 'yaml' | 'json';
  readonly serverSide?: boolean;
  readonly showSecrets?: boolean;
}

/** Where the command reads and writes. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Prints the manifests. Exit code 1 when the resources do not make a workload, 2 when they cannot be read or are wrong. */
export async function runRender(flags: RenderFlags, { stdin, stdout, stderr }: Streams): Promise<number> {
  const loaded = load(await textsOf(flags.file, stdin));
  if ('wrong' in loaded) return endWith(loaded.wrong, stderr, 2);
  const provisioning = provisioningOf(loaded.resources, flags.gateway);
  if (!provisioning.ok) return endWith(provisioning.problems.map(asProblem), stderr, 1);
  const rendered = render({
    ...provisioning.found,
    version: version(),
    nulls: flags.serverSide === true ? 'remove' : 'ignore',
    randomBytes,
  });
  if (!rendered.ok) return endWith(rendered.problems.map(asProblem), stderr, 1);
  const shown = flags.showSecrets === true ? rendered.manifests : withoutSecrets(rendered.manifests);
  stdout.write(flags.output === 'json' ? jsonText(shown) : shown.map((one) => yamlText(one)).join('---\n'));
  const hidden = shown.length < rendered.manifests.length;
  return endWith([...rendered.notes, ...(hidden ? [HIDDEN] : [])].map(asProblem), stderr, 0);
}

const HIDDEN = 'Secrets are left out; --show-secrets prints them, with their values';

function endWith(lines: readonly string[], stderr: Writable, code: number): number {
  for (const line of lines) stderr.write(`${line}\n`);
  return code;
}

function asProblem(text: string): string {
  return `render: ${text}`;
}

function jsonText(items: readonly Manifest[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`;
}

/** A file as it is named in messages, with its text or why it has none. */
type NamedText = readonly [name: string, text: string] | { readonly unreadable: string };

async function textsOf(file: string, stdin: Readable): Promise<readonly NamedText[]> {
  if (file === '-') {
    const text = await textOf(stdin);
    return [text === undefined ? { unreadable: `-: longer than ${MAX_INPUT} characters` } : ['-', text]];
  }
  try {
    if (!statSync(file).isDirectory()) return [fileText(file)];
    const names = readdirSync(file).filter((name) => FILE_NAME.test(name));
    return names.toSorted().map((name) => fileText(join(file, name)));
  } catch (error) {
    return [unreadable(file, error)];
  }
}

function fileText(path: string): NamedText {
  try {
    return [path, readFileSync(path, 'utf8')];
  } catch (error) {
    return unreadable(path, error);
  }
}

/** A path of the user's: what is wrong with it is the answer. */
function unreadable(path: string, error: unknown): NamedText {
  return { unreadable: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}` };
}

const FILE_NAME = /^[^.].*\.(yaml|yml|json)$/;

/** Longest text that is taken from the standard input. */
const MAX_INPUT = 64 * 1024 * 1024;

/** Undefined when there is too much of it. */
async function textOf(input: Readable): Promise<string | undefined> {
  const chunks: string[] = [];
  let length = 0;
  input.setEncoding('utf8');
  for await (const chunk of input) {
    const text = String(chunk);
    length += text.length;
    if (length > MAX_INPUT) return undefined;
    chunks.push(text);
  }
  return chunks.join('');
}

type Loaded = { readonly resources: readonly Resource[] } | { readonly wrong: readonly string[] };

function load(texts: readonly NamedText[]): Loaded {
  const wrong: string[] = [];
  const found = new Map<string, { readonly resource: Resource; readonly place: string }>();
  for (const text of texts) {
    if ('unreadable' in text) {
      wrong.push(text.unreadable);
      continue;
    }
    const { resources, problems } = readResourceFile(...text);
    wrong.push(...problems.filter(isError).map(problemText));
    for (const { key, resource, position } of resources) {
      const place = `${text[0]}:${position.line}`;
      const first = found.get(key);
      if (first === undefined) found.set(key, { resource, place });
      else wrong.push(`${place}: ${key} is already at ${first.place}`);
    }
  }
  return wrong.length > 0 ? { wrong } : { resources: [...found.values()].map(({ resource }) => resource) };
}
