import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import { type Message, messageReader, TEXT, writeFrame } from '../../realtime/frames.ts';
import type { Context } from '../guard.ts';
import type { PromptGuards } from '../guards.ts';
import { guardedEvents, type Judged } from './guarded-events.ts';

/**
 * The connection to a realtime provider, guards in between: what is written to it goes to the provider, what is read from
 * it comes from there (GUARD-003). A message that is too large to be judged ends it.
 */
export function guardedConnection(upstream: Duplex, guards: PromptGuards, context: Context): Duplex {
  const { ofClient, ofProvider } = guardedEvents(guards, context);
  const [fromClient, fromProvider] = [messageReader(failTooLarge), messageReader(failTooLarge)];

  let reading = Promise.resolve();
  const guarded = new Duplex({
    write: (chunk: Buffer, _, done) => {
      const run = async (): Promise<void> => {
        let free = true;
        const on = (bytes: Buffer): void => {
          free = upstream.write(bytes);
        };
        await pass(fromClient.push(chunk), {
          judge: ofClient,
          toServer: true,
          on,
          back: (bytes) => guarded.push(bytes),
        });
        if (!free && !upstream.destroyed)
          await new Promise((resolve) => upstream.once('drain', resolve).once('close', resolve));
      };
      void settle(run(), done);
    },
    read: () => {
      upstream.resume();
    },
    final: (done) => {
      upstream.end(done);
    },
    destroy: (error, done) => {
      upstream.destroy();
      done(error);
    },
  });

  const told = async (chunk: Buffer): Promise<void> => {
    let free = true;
    const on = (bytes: Buffer): void => {
      free = guarded.push(bytes);
    };
    await pass(fromProvider.push(chunk), {
      judge: ofProvider,
      toServer: false,
      on,
      back: (bytes) => upstream.write(bytes),
    });
    if (free) upstream.resume();
  };
  const failed = (error: unknown): void => {
    guarded.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  upstream.on('data', (chunk: Buffer) => {
    upstream.pause();
    reading = reading.then(() => told(chunk)).catch(failed);
  });
  upstream.once('end', () => {
    void reading.then(() => guarded.push(null));
  });
  upstream.once('error', failed);
  upstream.once('close', () => {
    void reading.then(() => guarded.destroy());
  });
  return guarded;
}

function failTooLarge(): never {
  throw new RangeError('a message is too large');
}

/** Where messages come from and go to. */
interface Direction {
  readonly judge: (text: string) => Promise<Judged>;
  readonly toServer: boolean;
  /** Gets the bytes that go on. */
  readonly on: (bytes: Buffer) => void;
  /** Gets those for the side they came from. */
  readonly back: (bytes: Buffer) => void;
}

/** Judges messages one after the other; what is no text passes. */
async function pass(messages: readonly Message[], { judge, toServer, on, back }: Direction): Promise<void> {
  for (const message of messages) {
    if (message.opcode !== TEXT) on(writeFrame(message, toServer));
    else {
      const judged = await judge(message.payload.toString('utf8'));
      if (judged.on.length > 0) on(send(judged.on, toServer));
      if (judged.back.length > 0) back(send(judged.back, !toServer));
    }
  }
}

function send(texts: readonly string[], toServer: boolean): Buffer {
  return Buffer.concat(texts.map((text) => writeFrame({ opcode: TEXT, payload: Buffer.from(text) }, toServer)));
}

async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await work;
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}
