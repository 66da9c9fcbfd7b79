import { request } from 'node:http';
import { connect } from 'node:net';
import type { Contender } from './contenders.ts';
import type { Input, Outcome } from './corpus.ts';
import type { Upstreams } from './upstreams.ts';

/** Milliseconds without a byte after which nothing more is waited for: before an answer, and behind one. */
const PATIENCE = { before: 1000, behind: 150 };

/** Sends the bytes of a request and says what became of them. */
export async function judgeRequest({ bytes }: Input, { port }: Contender, upstreams: Upstreams): Promise<Outcome> {
  upstreams.arrived();
  const text = await exchange(port, bytes);
  const smuggled = upstreams.arrived().some((target) => target.includes('/smuggled'));
  const [, status = ''] = /(?:^|\r\n\r\n)HTTP\/1\.[01] ([2-9]\d\d)/.exec(text) ?? [];
  const isServed = /^[23]/.test(status);
  // Behind a message that asked for the end, or was refused, there is no request.
  if (smuggled && (!isServed || bytes.includes('Connection: close'))) return 'smuggled';
  return isServed ? 'served' : 'refused';
}

function exchange(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes));
    socket.setTimeout(PATIENCE.before);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      socket.setTimeout(PATIENCE.behind);
    });
    socket.on('end', () => socket.destroy());
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
  });
}

/** Asks for a hostile answer, and says what the client got; then whether the next client gets its own. */
export async function judgeAnswer({ name }: Input, { port }: Contender): Promise<Outcome> {
  const got = await ask(port, `/answer/${name}`);
  const next = await ask(port, '/answer/');
  if (got.body.includes('forged') || next.body !== 'probe') return 'poisoned';
  return got.outcome;
}

interface Got {
  readonly outcome: Outcome;
  readonly body: string;
}

function ask(port: number, path: string): Promise<Got> {
  return new Promise((resolve) => {
    let body = '';
    const sent = request({ host: '127.0.0.1', port, path, agent: false, maxHeaderSize: 1024 * 1024 }, (response) => {
      response.setEncoding('latin1').on('data', (text: string) => {
        body += text;
      });
      response.on('error', () => resolve({ outcome: 'cut', body }));
      response.on('close', () => resolve({ outcome: 'cut', body }));
      response.on('end', () => resolve({ outcome: (response.statusCode ?? 500) >= 500 ? 'refused' : 'served', body }));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      resolve({ outcome: error.code?.startsWith('HPE_') === true ? 'malformed' : 'cut', body });
    });
    // An upgrade that nobody asked for ends in neither.
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve({ outcome: 'malformed', body });
    });
    // Who waits for more than the upstream will ever send leaves its client waiting too.
    sent.setTimeout(PATIENCE.before, () => sent.destroy());
    sent.end();
  });
}
