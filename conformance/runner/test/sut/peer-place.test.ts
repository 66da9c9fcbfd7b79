import * as os from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { parseManifest } from '../../sut/manifest.ts';
import { peerPlace } from '../../sut/peer-place.ts';
import { addressTowards } from '../../sut/ports.ts';

const PROCESS = 'contract: 1\nimplementation: { name: x }\nrun: { kind: process, command: [./x] }\n';
const KUBERNETES =
  "contract: 1\nimplementation: { name: x }\nrun: { kind: kubernetes, kubeconfig: k }\nendpoints: { data: 'http://192.0.2.9:80' }\n";

const ADMISSION = 'contract: 1\nimplementation: { name: x }\nrun: { kind: admission, kubeconfig: k }\n';

vi.mock(import('node:os'), async (original) => {
  const real = await original();
  return { ...real, networkInterfaces: vi.fn(real.networkInterfaces) };
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const placeOf = (text: string): ReturnType<typeof peerPlace> => peerPlace(parseManifest(text, 'i.yaml'));

test('peers are on loopback, which has a name', () => {
  expect(placeOf(PROCESS)).toEqual({ address: '127.0.0.1', name: 'localhost' });
});

test('or where the manifest says, under the name it knows', () => {
  expect(placeOf(`${PROCESS}peers: { address: 192.0.2.1 }\n`)).toEqual({ address: '192.0.2.1', name: undefined });
  expect(placeOf(`${KUBERNETES}peers: { address: 192.0.2.1, name: peers.conf.svc }\n`)).toEqual({
    address: '192.0.2.1',
    name: 'peers.conf.svc',
  });
  expect(() => placeOf(`${PROCESS}peers: { address: localhost }\n`)).toThrow(/i\.yaml:4:\d+ peers\.address: /);
});

test('beside an API server they are on the address of the Pod, where there is one, and never on loopback', () => {
  vi.stubEnv('POD_IP', '192.0.2.7');
  expect(placeOf(KUBERNETES)).toEqual({ address: '192.0.2.7', name: undefined });
  vi.stubEnv('POD_IP', '');
  const found = vi.mocked(os.networkInterfaces);
  const ethernet: os.NetworkInterfaceInfo = {
    address: '192.0.2.8',
    netmask: '255.255.255.0',
    family: 'IPv4',
    mac: '02:00:00:00:00:01',
    internal: false,
    cidr: '192.0.2.8/24',
  };
  found.mockReturnValueOnce({ lo: [{ ...ethernet, address: '127.0.0.1', internal: true }], eth0: [ethernet] });
  expect(placeOf(KUBERNETES).address).toBe('192.0.2.8');
  found.mockReturnValueOnce({});
  expect(() => placeOf(KUBERNETES)).toThrow('i.yaml: peers.address: this machine has no address but loopback');
});

test('an API server alone may be asked from a machine that has no address', () => {
  vi.stubEnv('POD_IP', '');
  vi.mocked(os.networkInterfaces).mockReturnValueOnce({});
  expect(placeOf(ADMISSION)).toEqual({ address: '192.0.2.1', name: undefined });
});

test('the address of the client is the one this machine connects from', async () => {
  expect(await addressTowards({ host: '127.0.0.1', port: 80 })).toBe('127.0.0.1');
});
