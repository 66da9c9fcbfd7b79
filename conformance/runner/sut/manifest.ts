import path from 'node:path';
import type { z } from 'zod';
import { unknownFeatures } from '../clauses/features.ts';
import type { Path } from '../values/check.ts';
import type { SchemaProblem } from '../values/schema-problems.ts';
import { readUserFile } from '../values/user-file.ts';
import { checkUserYaml } from '../values/user-yaml.ts';
import type { Attendant } from './attendant.ts';
import { manifestSchema } from './manifest-schema.ts';
import { UsageFault } from './session.ts';

/** What stands in an implementation.yaml, with its defaults. */
type Written = z.infer<typeof manifestSchema>;

/** A checked implementation.yaml with its defaults. Features are booleans, paths relative to `folder`. */
export interface Manifest extends Written {
  readonly file: string;
  readonly folder: string;
  /** Variables that a caller of the suite gives every program of the implementation (the gallery does); never in the file. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Port that a caller wants for `{{port.data}}`, instead of any that is free; never in the file. */
  readonly dataPort?: number;
  /** Who attends the run, so that nothing has a limit; never in the file. */
  readonly attendant?: Attendant;
}

/**
 * Reads and checks a manifest; a dialect that the user names takes the place of its own. Throws UsageFault that names file, line,
 * path and what was expected.
 */
export function loadManifest(file: string, dialect?: string): Manifest {
  const manifest = parseManifest(readManifest(file), file);
  return dialect === undefined ? manifest : { ...manifest, dialect: path.resolve(dialect) };
}

/** The same from text; `file` is used for messages and as base of relative paths. */
export function parseManifest(text: string, file: string): Manifest {
  const read = checkUserYaml({ file, text, whole: 'manifest' }, manifestSchema, beyondSchema);
  if ('problems' in read) throw new UsageFault(read.problems.join('\n'));
  return { ...read.value, file, folder: path.dirname(path.resolve(file)) };
}

/** Which API server takes the configuration, or is asked what it would take. */
type ClusterChoice = Extract<Written['run'], { readonly kind: 'kubernetes' | 'admission' }> | ProcessConfig;
type ProcessConfig = Extract<Written['run'], { readonly kind: 'process' }>['config'];

/** What a manifest says of the API server that takes its configuration; undefined when none does. */
export function clusterOf({ run: how }: Pick<Manifest, 'run'>): ClusterChoice | undefined {
  if (how.kind === 'kubernetes') return how;
  if (how.kind === 'admission') return how.server === undefined && how.kubeconfig === undefined ? undefined : how;
  return 'config' in how && how.config.deliver === 'kubernetes' ? how.config : undefined;
}

/** Fills `{{dir}} {{manifest}} {{port.data}} {{port.admin}} {{port.stats}}`. Throws UsageFault for a name that does not exist. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>, file: string): string {
  return text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new UsageFault(`${file}: unknown placeholder {{${name}}}; known are ${Object.keys(values).join(', ')}`);
    return value;
  });
}

function readManifest(file: string): string {
  const read = readUserFile(file);
  if ('problem' in read) throw new UsageFault(read.problem);
  return read.text;
}

/** What the schema cannot say: names that are in no table, and members that do not fit together although each is right in itself. */
function beyondSchema(manifest: Written): readonly SchemaProblem[] {
  const features = unknownFeatures(Object.keys(manifest.features)).map(({ name, message }) => ({
    path: ['features', name],
    key: true,
    message,
  }));
  const together = TOGETHER.flatMap(({ path: at, isWrong, message }) =>
    isWrong(manifest) ? [{ path: at, key: false, message: message(manifest) }] : [],
  );
  return [...features, ...together];
}

interface Together {
  readonly path: Path;
  readonly isWrong: (manifest: Written) => boolean;
  readonly message: (manifest: Written) => string;
}

const TOGETHER: readonly Together[] = [
  {
    path: ['endpoints'],
    isWrong: lacksEndpoints,
    message: ({ run: { kind } }) => `run.kind ${kind} needs endpoints.data`,
  },
  {
    path: ['run'],
    isWrong: (manifest) => manifest.run.kind === 'admission' && asksNobody(manifest),
    message: () => 'run.kind admission needs somebody to ask: server, kubeconfig or the adapter command',
  },
  { path: ['run'], isWrong: namesNoOneServer, message: () => 'an API server is named by either server or kubeconfig' },
  {
    path: ['adapter'],
    isWrong: ({ run: { kind }, adapter }) => kind === 'adapter' && adapter === undefined,
    message: () => 'run.kind adapter needs the adapter command',
  },
  {
    path: ['run', 'config', 'deliver'],
    isWrong: (manifest) => deliversBy(manifest) === 'adapter' && manifest.adapter === undefined,
    message: () => 'adapter needs the adapter command',
  },
  {
    path: ['run', 'config', 'path'],
    isWrong: lacksPath,
    message: (manifest) => `deliver ${deliversBy(manifest) ?? ''} needs the path to write to`,
  },
];

function lacksEndpoints({ run: { kind }, endpoints, gateways }: Written): boolean {
  return (kind === 'url' || kind === 'kubernetes') && endpoints === undefined && gateways === 'shared';
}

function namesNoOneServer(manifest: Written): boolean {
  const choice = clusterOf(manifest);
  return choice !== undefined && (choice.server === undefined) === (choice.kubeconfig === undefined);
}

function asksNobody(manifest: Written): boolean {
  return clusterOf(manifest) === undefined && manifest.adapter === undefined;
}

function deliversBy({ run: how }: Written): string | undefined {
  return 'config' in how ? how.config.deliver : undefined;
}

function lacksPath({ run: how }: Written): boolean {
  if (!('config' in how)) return false;
  const { deliver, path: to, reload: by } = how.config;
  const needsPath = deliver === 'file' || (how.kind === 'url' && deliver === 'directory');
  return needsPath && to === undefined && typeof by === 'string';
}
