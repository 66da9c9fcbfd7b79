import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/** The addresses of Pods and of their node, and those of Gateways; both are ranges for documentation. */
const PODS = '198.51.100';
const GATEWAYS = '203.0.113';
export const NODE_ADDRESS = `${PODS}.1`;
const BRIDGE = 'pods';
/** What a Pod does until its interface is there, and then. */
const IN_POD =
  'read -r address && ip link set lo up && ip addr add "$address/24" dev eth0 && ip link set eth0 up && exec "$@"';

/** Gives out addresses in the network namespace of this process, each to one only. */
export interface PodNetwork {
  /** A program in a network namespace of its own, so that every Pod can listen on the same ports. The namespace ends with the program. */
  readonly run: (program: string, env: Readonly<Record<string, string>>) => Promise<RunningPod>;
  readonly gatewayAddress: () => string;
}

export interface RunningPod {
  readonly address: string;
  readonly child: ChildProcess;
}

/** Needs root, and a network namespace in which nothing else is. */
export function createPodNetwork(): PodNetwork {
  ip('link', 'set', 'lo', 'up');
  // The whole range belongs to this machine: a Gateway has an address of its own as soon as somebody listens there.
  ip('addr', 'add', `${GATEWAYS}.0/24`, 'dev', 'lo');
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  ip('addr', 'add', `${NODE_ADDRESS}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  let pods = 1;
  let gateways = 0;
  return {
    run: async (program, env) => {
      pods += 1;
      const [address, cable] = [`${PODS}.${lastByte(pods)}`, `pod${pods}`];
      const child = spawn('unshare', ['--net', '/bin/sh', '-c', IN_POD, 'pod', program], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      await ownNamespace(child);
      ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(child.pid));
      ip('link', 'set', cable, 'master', BRIDGE, 'up');
      child.stdin.end(`${address}\n`);
      return { address, child };
    },
    gatewayAddress: () => {
      gateways += 1;
      return `${GATEWAYS}.${lastByte(gateways)}`;
    },
  };
}

const NAMESPACE_WITHIN_MS = 30_000;
const POLL_MS = 5;

/** Until the child is no longer in the network namespace of this process. */
async function ownNamespace({ pid }: ChildProcess): Promise<void> {
  const until = performance.now() + NAMESPACE_WITHIN_MS;
  const ours = namespaceOf('self');
  for (;;) {
    const its = namespaceOf(String(pid));
    if (its !== undefined && its !== ours) return;
    if (performance.now() > until) throw new Error('a Pod gets no network namespace');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Undefined where there is no such process. */
function namespaceOf(process: string): string | undefined {
  try {
    return readlinkSync(`/proc/${process}/ns/net`);
  } catch {
    return undefined;
  }
}

function lastByte(count: number): number {
  if (count > 254) throw new Error('there are no more addresses');
  return count;
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}
