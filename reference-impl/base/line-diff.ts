/** A line of both texts, of the new one only, or of the old one only. */
export interface DiffLine {
  readonly text: string;
  readonly change?: 'added' | 'removed';
}

/**
 * The shortest way from `before` to `after`. Texts whose differing middle is too large to compare line by line are
 * shown as the whole old middle followed by the whole new one.
 */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const head = commonLength(before, after);
  const tail = Math.min(
    commonLength(before.toReversed(), after.toReversed()),
    Math.min(before.length, after.length) - head,
  );
  return [
    ...before.slice(0, head).map((text) => ({ text })),
    ...diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...after.slice(after.length - tail).map((text) => ({ text })),
  ];
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  const different = left.findIndex((line, index) => line !== right[index]);
  return different < 0 ? left.length : different;
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MOST_COMPARISONS) {
    return [...before.map((text) => changedLine(text, 'removed')), ...after.map((text) => changedLine(text, 'added'))];
  }
  const common = commonSubsequences(before, after);
  const lengthAt = (old: number, now: number): number => common[old]?.[now] ?? 0;
  const lines: DiffLine[] = [];
  let old = 0;
  let now = 0;
  while (old < before.length || now < after.length) {
    const removed = before[old];
    const added = after[now];
    if (removed !== undefined && removed === added) {
      lines.push({ text: removed });
      old += 1;
      now += 1;
    } else if (removed !== undefined && (added === undefined || lengthAt(old + 1, now) >= lengthAt(old, now + 1))) {
      lines.push(changedLine(removed, 'removed'));
      old += 1;
    } else {
      lines.push(changedLine(added ?? '', 'added'));
      now += 1;
    }
  }
  return lines;
}

/** `[i][j]`: how many lines the texts from line `i` and from line `j` on have in common, in order. */
function commonSubsequences(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let old = before.length - 1; old >= 0; old -= 1) {
    for (let now = after.length - 1; now >= 0; now -= 1) {
      const row = table[old];
      const next = table[old + 1];
      if (row === undefined || next === undefined) continue;
      const same = before[old] === after[now];
      row[now] = same ? (next[now + 1] ?? 0) + 1 : Math.max(next[now] ?? 0, row[now + 1] ?? 0);
    }
  }
  return table;
}

function changedLine(text: string, change: 'added' | 'removed'): DiffLine {
  return { text, change };
}

const MOST_COMPARISONS = 1_000_000;
