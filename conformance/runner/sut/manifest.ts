import path from 'node:path';
import { z } from 'zod';
import { unknownFeatures } from '../clauses/features.ts';
import type { Path } from '../values/check.ts';
import type { SchemaProblem } from '../values/schema-problems.ts';
import { readUserFile } from '../values/user-file.ts';
import { checkUserYaml } from '../values/user-yaml.ts';
import { parseDuration } from './duration.ts';
import { UsageFault } from './session.ts';

const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, 'expected a duration such as 250ms or 10s');
const yesNo = z.union([z.boolean(), z.enum(['yes', 'no']).transform((word) => word === 'yes')]);
const words = z.array(z.union([z.string(), z.number()]).transform(String)).min(1);
const url = z.string().regex(/^http:\/\/[^/]+\/?$/, 'expected http://HOST:PORT');

const reload = z.union([
  z.enum(['watch', 'restart']),
  z.strictObject({ signal: z.string().regex(/^[A-Z0-9]+$/) }),
  z.strictObject({
    http: z.string().regex(/^(PUT|POST) \/\S*$/, 'expected a method and a path such as "PUT /config"'),
  }),
]);

/** An API server that takes the resources, by URL or by a context of a kubeconfig file. */
const cluster = {
  server: z.string().optional(),
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
  /** Put before every namespace of the suite. */
  namespacePrefix: z
    .string()
    .regex(/^[a-z0-9-]{0,32}$/, 'expected lower-case letters, digits and dashes')
    .default(''),
  /** Takes the place of the class that Gateways of the cases name. */
  gatewayClass: z.string().optional(),
} as const;

const written = { path: z.string().optional(), reload: reload.default('watch') } as const;
const DELIVERIES = ['directory', 'file', 'adapter'] as const;
const config = z
  .strictObject({ deliver: z.enum([...DELIVERIES, 'kubernetes']).default('directory'), ...written, ...cluster })
  .prefault({});
// A cluster that runs already is reached by run.kind kubernetes.
const urlConfig = z.strictObject({ deliver: z.enum(DELIVERIES).default('directory'), ...written }).prefault({});

/** When a configuration counts as live. */
const ready = z
  .strictObject({
    canary: yesNo.default(true),
    /** So many answers of the new revision, one after the other … */
    inARow: z.int().min(1).max(100).default(3),
    /** … over at least this time; for an implementation whose old workers answer for a while beside the new ones. */
    settle: duration.default('0ms'),
    http: z
      .string()
      .regex(/^GET \/\S*$/, 'expected "GET /path"')
      .optional(),
    line: z.string().optional(),
    within: duration.default('10s'),
  })
  .prefault({});

const stop = z.strictObject({ signal: z.string().default('TERM'), within: duration.default('5s') }).prefault({});

/** Programs without which nothing can be started here: every case is then skipped, with that reason. */
const requires = z.array(z.string().regex(/^[\w.+-]+$/, 'expected the name of a program')).optional();

/** File into which the implementation writes its log; failures quote what it wrote meanwhile. Otherwise its output is quoted. */
const log = z.string().optional();

const run = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('process'),
    command: words,
    config,
    ready,
    stop,
    requires,
    log,
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('url'), config: urlConfig, ready, requires, log }),
  z.strictObject({ kind: z.literal('adapter'), ready, stop, requires, log }),
  z.strictObject({ kind: z.literal('kubernetes'), ready, requires, log, ...cluster }),
]);

/** Where the peers of the cases are, as the implementation reaches them. */
const peers = z
  .strictObject({
    /** Address of this machine that they listen on and that resources name: loopback, or for run.kind kubernetes that of the machine or the Pod. */
    address: z.ipv4().optional(),
    /** DNS name that leads the implementation to this address; `localhost` for 127.0.0.1. Cases that need one are unsupported without. */
    name: z.string().optional(),
  })
  .prefault({});

/** Who is tested, as manifests and reports say it. */
export const implementationSchema = z.strictObject({
  name: z.string(),
  version: z.string().optional(),
  vendor: z.string().optional(),
  language: z.string().optional(),
  url: z.string().optional(),
});

const manifestSchema = z.strictObject({
  contract: z.literal(1),
  implementation: implementationSchema,
  dialect: z.string().default('canonical'),
  run,
  peers,
  endpoints: z.strictObject({ data: url, admin: url.optional() }).optional(),
  adapter: words.optional(),
  features: z.record(z.string(), yesNo).default({}),
  unspecified: z.record(z.string(), z.unknown()).default({}),
  tune: z
    .strictObject({
      /** How many of it may run at the same time; see `instanceLimit` for what holds without. */
      instances: z.int().min(1).max(64).optional(),
      /** Cases at the same time; what fits the machine when absent. */
      parallel: z.int().min(1).max(256).optional(),
      timeScale: z.number().positive().default(1),
      timeout: duration.default('2s'),
    })
    .prefault({}),
  known: z.string().optional(),
  cli: z.strictObject({ trace: words }).optional(),
});

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

/** What a manifest says of the API server that takes its configuration; undefined when none does. */
export function clusterOf({ run: how }: Pick<Manifest, 'run'>): z.infer<z.ZodObject<typeof cluster>> | undefined {
  if (how.kind === 'kubernetes') return how;
  return 'config' in how && how.config.deliver === 'kubernetes' ? how.config : undefined;
}

/** Fills `{{dir}} {{manifest}} {{port.data}} {{port.admin}}`. Throws UsageFault for a name that does not exist. */
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

function lacksEndpoints({ run: { kind }, endpoints }: Written): boolean {
  return (kind === 'url' || kind === 'kubernetes') && endpoints === undefined;
}

function namesNoOneServer(manifest: Written): boolean {
  const choice = clusterOf(manifest);
  return choice !== undefined && (choice.server === undefined) === (choice.kubeconfig === undefined);
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
