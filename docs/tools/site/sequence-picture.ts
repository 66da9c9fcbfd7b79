/** One thing that was seen while a case ran, as a report keeps it. */
export interface Seen {
  /** Milliseconds since the case began. */
  readonly atMs: number;
  /** `client`, the name of a peer, or who else had something to say. */
  readonly who: string;
  /** Begins with `>` for what was sent and `<` for what came. */
  readonly what: string;
}

const LANE_PX = 190;
const ROW_PX = 26;
const TOP_PX = 44;
const MARGIN_PX = 70;
/** The host name of a case is made from its id and says nothing to a reader. */
const OWN_HOST = / \(c-[0-9a-f]{8}\.test\)$/;
/** A picture of more rows than this is no picture any more. */
const MOST_ROWS = 40;
const MOST_LETTERS = 46;

/**
 * Draws who sent what to whom, in the order of time, as SVG: the client on the left, the proxy beside it, then the peers in the order in
 * which they were reached. What neither sends nor receives stands as a note at the proxy. Undefined when nothing was sent.
 */
export function drawSequence(seen: readonly Seen[], title: string): string | undefined {
  const rows = seen.filter(({ who }) => who !== 'canary').slice(0, MOST_ROWS);
  const peers = [...new Set(rows.filter(isArrival).map(({ who }) => who))];
  if (!rows.some(isOfClient)) return undefined;
  const lanes = ['client', 'proxy', ...peers];
  const width = MARGIN_PX * 2 + LANE_PX * (lanes.length - 1);
  const height = TOP_PX + ROW_PX * (rows.length + 1);
  const x = (lane: string): number => MARGIN_PX + LANE_PX * lanes.indexOf(lane);
  const heads = lanes.flatMap((lane) => [
    `<text class="lane" x="${x(lane)}" y="18">${escapeText(lane)}</text>`,
    `<line class="life" x1="${x(lane)}" y1="28" x2="${x(lane)}" y2="${height - 8}"/>`,
  ]);
  const drawn = rows.map((row, index) => drawRow(row, TOP_PX + ROW_PX * index + 10, x));
  return [
    `<svg class="sequence" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(title)}">`,
    ...heads,
    ...drawn,
    '</svg>',
  ].join('');
}

function drawRow(row: Seen, y: number, x: (lane: string) => number): string {
  const text = row.what.replace(/^[<>] /, '').replace(OWN_HOST, '');
  if (isOfClient(row)) {
    const sent = row.what.startsWith('>');
    return arrow(sent ? ['client', 'proxy'] : ['proxy', 'client'], { text, y, sent }, x);
  }
  if (isArrival(row)) return arrow(['proxy', row.who], { text, y, sent: true }, x);
  return `<text class="note" x="${x('proxy')}" y="${y}">${escapeText(shorten(`${row.who}: ${row.what}`))}</text>`;
}

function arrow(
  [from, to]: readonly [string, string],
  { text, y, sent }: { readonly text: string; readonly y: number; readonly sent: boolean },
  x: (lane: string) => number,
): string {
  const [start, end] = [x(from), x(to)];
  const back = end < start ? 1 : -1;
  const head = `${end},${y} ${end + back * 7},${y - 4} ${end + back * 7},${y + 4}`;
  return [
    `<line class="${sent ? 'sent' : 'answer'}" x1="${start}" y1="${y}" x2="${end}" y2="${y}"/>`,
    `<polygon class="head" points="${head}"/>`,
    `<text class="what" x="${(start + end) / 2}" y="${y - 5}">${escapeText(shorten(text))}</text>`,
  ].join('');
}

function isOfClient({ who, what }: Seen): boolean {
  return who === 'client' && /^[<>] /.test(what);
}

function isArrival({ who, what }: Seen): boolean {
  return who !== 'client' && what.startsWith('< ');
}

function shorten(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

/** A text as it may stand in HTML and in a page of VitePress, whose double braces are code. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('{{', '&#123;&#123;')
    .replaceAll('}}', '&#125;&#125;');
}
