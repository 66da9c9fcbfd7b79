import type { HttpPiece } from '../../http-exchange.ts';

/** The streams of a server that can be taken up again: each event has an id, which says where it stood. */
export interface Streams {
  /** A new stream of these pieces. */
  readonly begin: (pieces: readonly HttpPiece[]) => HttpPiece[];
  /** What follows an event in its stream, without the breaks; undefined where no stream had it. */
  readonly after: (id: string) => HttpPiece[] | undefined;
}

/** A server forgets its oldest stream when it has more. */
const MOST = 1000;

/** How soon a client comes back: a test waits for it. */
const RETRY = 'retry: 10\n';

export function createStreams(): Streams {
  const known = new Map<string, readonly HttpPiece[]>();
  let begun = 0;
  return {
    begin: (pieces) => {
      begun += 1;
      const name = String(begun);
      const numbered = pieces.map((piece, index) => withId(piece, `${name}-${index}`));
      known.set(name, numbered);
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
      return numbered;
    },
    after: (id) => {
      const [, name = '', index = ''] = /^(\d+)-(\d+)$/.exec(id) ?? [];
      const rest = known.get(name)?.slice(Number(index) + 1);
      return rest?.filter((piece) => typeof piece === 'string' || !('reset' in piece));
    },
  };
}

function withId(piece: HttpPiece, id: string): HttpPiece {
  return typeof piece !== 'string' && 'text' in piece ? { text: `id: ${id}\n${RETRY}${piece.text}` } : piece;
}
