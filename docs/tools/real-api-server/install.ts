import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { gatewayDefinitions } from '../gateway-definitions.ts';
import type { Json } from '../verdicts.ts';
import type { ApiClient } from './api-client.ts';

const OURS = 'reference-impl/crds';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ESTABLISHED_WITHIN_MS = 60_000;
const POLL_MS = 200;

/** Ours as `kubectl apply` would, annotation included; those of the Gateway API are larger than that allows. Throws when one is refused. */
export async function install(client: ApiClient): Promise<number> {
  const definitions = [...definitionsIn(OURS).map(asApplied), ...definitionsIn(gatewayDefinitions())];
  for (const definition of definitions) {
    const { status, body } = await client.send('POST', DEFINITIONS, definition);
    if (status !== 201) throw new Error(`${nameOf(definition)} is refused: ${String(body['message'])}`);
  }
  await Promise.all(definitions.map(async (definition) => established(nameOf(definition), client)));
  return definitions.length;
}

function definitionsIn(folder: string): readonly Json[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(readFileSync(path.join(folder, name), 'utf8')))
    .map((document) => document.toJS() as Json)
    .filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** With the annotation in which `kubectl apply` keeps what it applied, escaped as Go does. */
function asApplied(definition: Json): Json {
  const metadata = definition['metadata'] as Json;
  const { annotations = {} } = metadata;
  const text = JSON.stringify(definition).replaceAll(
    /[<>&]/g,
    (found) => String.raw`\u00` + (found.codePointAt(0) ?? 0).toString(16),
  );
  const kept = { 'kubectl.kubernetes.io/last-applied-configuration': `${text}\n` };
  return { ...definition, metadata: { ...metadata, annotations: { ...(annotations as Json), ...kept } } };
}

function nameOf({ metadata }: Json): string {
  return String((metadata as Json)['name']);
}

async function established(name: string, client: ApiClient): Promise<void> {
  const until = performance.now() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    const { body } = await client.send('GET', `${DEFINITIONS}/${name}`);
    const { conditions } = (body['status'] ?? {}) as { readonly conditions?: readonly Json[] | null };
    const isServed = (conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');
    const [version] = ((body['spec'] as Json)['versions'] as readonly Json[]).filter(({ served }) => served === true);
    const { group, names } = body['spec'] as { readonly group: string; readonly names: { readonly plural: string } };
    const list = `/apis/${group}/${String(version?.['name'])}/${names.plural}`;
    // The server learns of it a moment after it says so.
    if (isServed && (await client.send('GET', list).catch(() => ({ status: 0 }))).status === 200) return;
    if (performance.now() > until) throw new Error(`${name} is not served`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
