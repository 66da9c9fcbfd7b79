/** One server-sent event; comments and events without data are none. */
export interface SentEvent {
  /** Empty when the stream does not say. */
  readonly event: string;
  readonly data: string;
}

/** Cuts a stream that arrives in pieces into its events. */
export function createEventReader(): (text: string) => readonly SentEvent[] {
  let rest = '';
  return (text) => {
    const items = (rest + text).split('\n\n');
    rest = items.pop() ?? '';
    return items.map(readItem).filter(({ data }) => data !== '');
  };
}

function readItem(item: string): SentEvent {
  const lines = item.split('\n');
  const valueOf = (field: string): string =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).trimStart())
      .join('\n');
  return { event: valueOf('event'), data: valueOf('data') };
}
