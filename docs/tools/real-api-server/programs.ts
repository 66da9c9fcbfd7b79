import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Programs } from './start-server.ts';

const FOLDER = 'docs/tools/real-api-server';
const CACHE = path.resolve('.cache/real-api-server');

/** Where they lie once they are built. */
export const PROGRAMS: Programs = { etcd: path.join(CACHE, 'etcd'), apiServer: path.join(CACHE, 'kube-apiserver') };

/** The first time takes long, from then on Go sees that nothing has to be done. */
export function buildPrograms(): Programs {
  mkdirSync(CACHE, { recursive: true });
  build('go.etcd.io/etcd/server/v3', PROGRAMS.etcd);
  build('k8s.io/kubernetes/cmd/kube-apiserver', PROGRAMS.apiServer);
  return PROGRAMS;
}

function build(module: string, output: string): void {
  console.log(`building ${module}`);
  const { status, error } = spawnSync('go', ['build', '-ldflags', '-s -w', '-o', output, module], {
    cwd: FOLDER,
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  if (status !== 0) throw new Error(`${module} cannot be built: ${error?.message ?? 'see above'}`);
}
