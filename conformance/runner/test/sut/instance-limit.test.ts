import { expect, test } from 'vitest';
import { instanceLimit } from '../../sut/instance-limit.ts';
import { parseManifest } from '../../sut/manifest.ts';

const head = 'contract: 1\nimplementation: {name: x}\n';
const process = `${head}run: {kind: process, command: [x]`;

test.each([
  [
    'a process whose places are filled in',
    `${process}, log: '{{dir}}/log'}\nendpoints: {data: 'http://127.0.0.1:{{port.data}}'}\n`,
    3,
  ],
  ['a process that says nothing of places', `${process}}\n`, 3],
  ['a fixed data port', `${process}}\nendpoints: {data: 'http://127.0.0.1:8080'}\n`, 1],
  [
    'a fixed admin port',
    `${process}}\nendpoints: {data: 'http://127.0.0.1:{{port.data}}', admin: 'http://127.0.0.1:9'}\n`,
    1,
  ],
  ['one log for all', `${process}, log: /var/log/x}\n`, 1],
  ['one place for the configuration', `${process}, config: {deliver: file, path: /etc/x.yaml}}\n`, 1],
  [
    'somebody else runs it',
    `${head}run: {kind: url, config: {path: /tmp/x}}\nendpoints: {data: 'http://127.0.0.1:8080'}\n`,
    1,
  ],
  ['an adapter starts it', `${head}run: {kind: adapter}\nadapter: [x]\n`, 1],
  ['the manifest says so', `${head}run: {kind: adapter}\nadapter: [x]\ntune: {instances: 5}\n`, 5],
])('how many may run: %s', (_, text, limit) => {
  expect(instanceLimit(parseManifest(text, 'i.yaml'))).toBe(limit);
});

test('a port that the user wants is one port', () => {
  expect(instanceLimit({ ...parseManifest(`${process}}\n`, 'i.yaml'), dataPort: 18_080 })).toBe(1);
});
