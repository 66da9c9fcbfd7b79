import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { START_ROOM } from '../../../../conformance/runner/values/start-room.ts';

/** A reference that runs, and how it ends. */
export interface RunningProxy {
  /** `http://127.0.0.1:PORT` of its admin listener. */
  readonly admin: string;
  readonly stop: () => Promise<void>;
}

/** Starts the reference with a folder of resources. */
export async function startProxy(config: string): Promise<RunningProxy> {
  const child = spawn(
    process.execPath,
    [...START_ROOM, 'bin/refproxy.mjs', 'serve', '--config', config, '--admin-port', '0'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const admin = await new Promise<string>((resolve, reject) => {
    let said = '';
    const hear = (part: Buffer): void => {
      said += part.toString();
      const port = /refproxy ready:[^]*?admin[^\d]+127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(`refproxy ended: ${said}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { admin, stop };
}

const META = { namespace: 'default' } as const;

/** Resources with so many routes of long names; every request is denied by a policy of its route. */
export function resourcesWith(port: number, routes: number): readonly object[] {
  const names = Array.from({ length: routes }, (_, index) =>
    index === 0 ? 'orders' : `a-team-with-a-long-name-${index}`,
  );
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'front', ...META },
      spec: { gatewayClassName: 'proxy', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: { name: 'upstream', ...META },
      spec: { static: { host: '127.0.0.1', port: 9 } },
    },
    ...names.flatMap((name, index) => [
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { name, ...META },
        spec: {
          parentRefs: [{ name: 'front' }],
          hostnames: index === 0 ? [] : [`${name}.departments.shop.example`],
          rules: [
            {
              matches: [{ path: { type: 'PathPrefix', value: '/' } }],
              backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'upstream' }],
            },
          ],
        },
      },
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyPolicy',
        metadata: { name, ...META },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name }],
          traffic: {
            authorization: { action: 'Require', policy: { matchExpressions: ['"x-key" in request.headers'] } },
          },
        },
      },
    ]),
  ];
}
