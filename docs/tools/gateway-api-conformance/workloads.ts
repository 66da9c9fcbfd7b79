import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../verdicts.ts';
import type { ApiClient } from '../real-api-server/api-client.ts';

/** What `refproxy render` makes of a Gateway, on the server; nothing of it runs, the data plane beside it does. */
export interface Workload {
  readonly remove: () => Promise<void>;
}

/** `folder` has the configuration in which the Gateway, as `namespace/name`, stands. */
export async function applyWorkload(gateway: string, folder: string, client: ApiClient): Promise<Workload> {
  const render = ['bin/refproxy.mjs', 'render', '-f', folder, '--gateway', gateway];
  // A Gateway whose parameters cannot be read has none; its status says so.
  const { stdout } = await promisify(execFile)('node', render).catch(() => ({ stdout: '' }));
  const places: string[] = [];
  for (const document of parseAllDocuments(stdout)) {
    const manifest = document.toJS() as Json;
    const collection = await client.pathOf(manifest);
    const { name } = manifest['metadata'] as { readonly name: string };
    if (collection === undefined) throw new Error(`the server knows no ${String(manifest['kind'])}`);
    const { status, body } = await client.send('POST', collection, manifest);
    if (status !== 201) console.error(`${gateway}: ${String(manifest['kind'])} is refused: ${String(body['message'])}`);
    else places.push(`${collection}/${name}`);
  }
  return {
    remove: async () => {
      for (const place of places) await client.send('DELETE', place);
    },
  };
}
