import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
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
  endpoints: z.strictObject({ data: url, admin: url.optional() }).optional(),
  adapter: words.optional(),
  features: z.record(z.string(), yesNo).default({}),
  unspecified: z.record(z.string(), z.unknown()).default({}),
  tune: z
    .strictObject({
      instances: z.int().min(1).max(64).default(1),
      parallel: z.int().min(1).max(256).default(16),
      timeScale: z.number().positive().default(1),
      timeout: duration.default('2s'),
    })
    .prefault({}),
  known: z.string().optional(),
  cli: z.strictObject({ trace: words }).optional(),
});

/** A checked implementation.yaml with its defaults. Features are booleans, paths relative to `folder`. */
export interface Manifest extends z.infer<typeof manifestSchema> {
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
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined)
    throw new UsageFault(`${file}:${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0] ?? ''}`);
  const parsed = manifestSchema.safeParse(document.toJS());
  if (!parsed.success)
    throw new UsageFault(parsed.error.issues.map((issue) => describe(issue, file, document, lines)).join('\n'));
  const manifest = { ...parsed.data, file, folder: path.dirname(path.resolve(file)) };
  const [wrong] = togetherProblems(manifest);
  if (wrong !== undefined) throw new UsageFault(`${file}: ${wrong}`);
  return manifest;
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
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageFault(
      `${file}: cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`,
    );
  }
}

/** What does not fit together although each member is right in itself. */
function togetherProblems(manifest: Manifest): readonly string[] {
  return TOGETHER.flatMap(([isWrong, problem]) => (isWrong(manifest) ? [problem(manifest)] : []));
}

const TOGETHER: readonly (readonly [(manifest: Manifest) => boolean, (manifest: Manifest) => string])[] = [
  [lacksEndpoints, ({ run: { kind } }) => `endpoints: run.kind ${kind} needs endpoints.data`],
  [namesNoOneServer, () => 'run: an API server is named by either server or kubeconfig'],
  [
    ({ run: { kind }, adapter }) => kind === 'adapter' && adapter === undefined,
    () => 'adapter: run.kind adapter needs the adapter command',
  ],
  [
    (manifest) => deliversBy(manifest) === 'adapter' && manifest.adapter === undefined,
    () => 'run.config.deliver: adapter needs the adapter command',
  ],
  [lacksPath, (manifest) => `run.config.path: deliver ${deliversBy(manifest) ?? ''} needs the path to write to`],
];

function lacksEndpoints({ run: { kind }, endpoints }: Manifest): boolean {
  return (kind === 'url' || kind === 'kubernetes') && endpoints === undefined;
}

function namesNoOneServer(manifest: Manifest): boolean {
  const choice = clusterOf(manifest);
  return choice !== undefined && (choice.server === undefined) === (choice.kubeconfig === undefined);
}

function deliversBy({ run: how }: Manifest): string | undefined {
  return 'config' in how ? how.config.deliver : undefined;
}

function lacksPath({ run: how }: Manifest): boolean {
  if (!('config' in how)) return false;
  const { deliver, path: to, reload: by } = how.config;
  const needsPath = deliver === 'file' || (how.kind === 'url' && deliver === 'directory');
  return needsPath && to === undefined && typeof by === 'string';
}

function describe(issue: z.core.$ZodIssue, file: string, document: Document, lines: LineCounter): string {
  const where = issue.path.filter((part): part is string | number => typeof part !== 'symbol');
  const key = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const position = positionOf(document, lines, key === undefined ? where : [...where, key]);
  return `${file}:${position} ${where.join('.') || 'manifest'}: ${issue.message}`;
}

function positionOf(document: Document, lines: LineCounter, where: readonly (string | number)[]): string {
  for (let depth = where.length; depth >= 0; depth--) {
    const node: unknown = depth === 0 ? document.contents : document.getIn(where.slice(0, depth), true);
    const range = node !== null && typeof node === 'object' && 'range' in node ? node.range : undefined;
    const offset: unknown = Array.isArray(range) ? range[0] : undefined;
    if (typeof offset === 'number') return `${lines.linePos(offset).line}:${lines.linePos(offset).col}`;
  }
  return '1:1';
}
