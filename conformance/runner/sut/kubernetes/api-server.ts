import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { UsageFault } from '../session.ts';

/** An API server and how to be known to it. */
export interface ApiServer {
  readonly url: URL;
  /** What every request carries; made anew each time, so that nothing keeps a copy of a token. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** How a manifest names its server: by URL, or by a context of a kubeconfig file. */
export interface ServerChoice {
  readonly server?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

const kubeconfigSchema = z.looseObject({
  'current-context': z.string().optional(),
  contexts: z.array(
    z.looseObject({ name: z.string(), context: z.looseObject({ cluster: z.string(), user: z.string().optional() }) }),
  ),
  clusters: z.array(
    z.looseObject({
      name: z.string(),
      cluster: z.looseObject({
        server: z.string(),
        'certificate-authority-data': z.string().optional(),
        'certificate-authority': z.string().optional(),
      }),
    }),
  ),
  users: z
    .array(
      z.looseObject({
        name: z.string(),
        user: z.looseObject({
          token: z.string().optional(),
          'client-certificate-data': z.string().optional(),
          'client-certificate': z.string().optional(),
          'client-key-data': z.string().optional(),
          'client-key': z.string().optional(),
        }),
      }),
    )
    .default([]),
});

type Kubeconfig = z.infer<typeof kubeconfigSchema>;

/** The server a manifest names. Throws UsageFault for a file or a context that is not there. */
export function apiServer(choice: ServerChoice, folder: string, manifestFile: string): ApiServer {
  if (choice.server !== undefined) return { url: urlOf(choice.server, manifestFile), headers: () => ({}), tls: {} };
  const file = path.resolve(folder, choice.kubeconfig ?? '');
  const config = readKubeconfig(file, manifestFile);
  const name = choice.context ?? config['current-context'];
  const { cluster, user } = entriesOf(config, name);
  if (cluster === undefined) throw new UsageFault(`${manifestFile}: run.context: ${file} has no context ${name ?? ''}`);
  const pem = (data: string | undefined, at: string | undefined): string | undefined =>
    data === undefined ? readPem(at, path.dirname(file)) : Buffer.from(data, 'base64').toString('utf8');
  const ca = pem(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = pem(user['client-certificate-data'], user['client-certificate']);
  const key = pem(user['client-key-data'], user['client-key']);
  return {
    url: urlOf(cluster.server, file),
    headers: () => (user.token === undefined ? {} : { authorization: `Bearer ${user.token}` }),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}

function entriesOf({ contexts, clusters, users }: Kubeconfig, name: string | undefined) {
  const context = contexts.find((one) => one.name === name)?.context;
  return {
    cluster: clusters.find((one) => one.name === context?.cluster)?.cluster,
    user: users.find((one) => one.name === context?.user)?.user ?? {},
  };
}

function readKubeconfig(file: string, manifestFile: string): Kubeconfig {
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'no YAML';
    throw new UsageFault(`${manifestFile}: run.kubeconfig: ${file} cannot be read (${why})`);
  }
  const parsed = kubeconfigSchema.safeParse(content);
  // The content is never quoted: it may hold a token.
  if (!parsed.success) throw new UsageFault(`${manifestFile}: run.kubeconfig: ${file} is no kubeconfig`);
  return parsed.data;
}

function readPem(at: string | undefined, folder: string): string | undefined {
  return at === undefined ? undefined : readFileSync(path.resolve(folder, at), 'utf8');
}

function urlOf(text: string, file: string): URL {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageFault(`${file}: ${text} is no http or https URL`);
  return url;
}
