export type View = 'trace' | 'listeners' | 'routes' | 'policies' | 'backends';

/** What is looked at: it stands in the address of the page. Nothing that is typed into the request does. */
export interface Place {
  readonly view: View;
  /** Words that a row must have. */
  readonly words: string;
  /** The id of the row that is open. */
  readonly open: string;
}

export type Go = (change: Partial<Place>) => void;

export const VIEWS: readonly { readonly view: View; readonly label: string }[] = [
  { view: 'trace', label: 'Trace' },
  { view: 'listeners', label: 'Listeners' },
  { view: 'routes', label: 'Routes' },
  { view: 'policies', label: 'Policies' },
  { view: 'backends', label: 'Backends' },
];

/** The place that the part of an address after `#` names. */
export function readPlace(hash: string): Place {
  const asked = new URLSearchParams(hash.replace(/^#/, ''));
  const view = VIEWS.find((one) => one.view === asked.get('view'))?.view ?? 'trace';
  return { view, words: asked.get('words') ?? '', open: asked.get('open') ?? '' };
}

/** The place as the part of an address after `#`, without what is empty. */
export function writePlace({ view, words, open }: Place): string {
  const members = Object.entries({ view, words, open }).filter(([, text]) => text !== '');
  return `#${new URLSearchParams(members).toString()}`;
}
