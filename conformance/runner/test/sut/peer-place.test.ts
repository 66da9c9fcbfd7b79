import { afterEach, expect, test, vi } from 'vitest';
import { parseManifest } from '../../sut/manifest.ts';
import { peerPlace } from '../../sut/peer-place.ts';
import { addressTowards } from '../../sut/ports.ts';

const PROCESS = 'contract: 1\nimplementation: { name: x }\nrun: { kind: process, command: [./x] }\n';
const KUBERNETES =
  "contract: 1\nimplementation: { name: x }\nrun: { kind: kubernetes, kubeconfig: k }\nendpoints: { data: 'http://192.0.2.9:80' }\n";

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
  // A machine may have no other address: then the manifest has to name one.
  const found = (() => {
    try {
      return placeOf(KUBERNETES).address;
    } catch (error) {
      return String(error);
    }
  })();
  expect(found).toMatch(/^(?!127\.)\d+\.\d+\.\d+\.\d+$|peers\.address: this machine has no address but loopback/);
});

test('the address of the client is the one this machine connects from', async () => {
  expect(await addressTowards({ host: '127.0.0.1', port: 80 })).toBe('127.0.0.1');
});
