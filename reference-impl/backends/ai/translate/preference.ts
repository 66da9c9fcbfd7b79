import type { FormatName } from '../format.ts';
import { completionsToMessages } from './completions-to-messages.ts';
import { messagesToCompletions } from './messages-to-completions.ts';
import { messagesToResponses } from './messages-to-responses.ts';
import { responsesToCompletions } from './responses-to-completions.ts';
import type { Translation } from './translation.ts';

/** What a request is sent as, the best first: its own format, then those it can be translated to. */
export const PREFERENCE: Readonly<Record<FormatName, readonly FormatName[]>> = {
  responses: ['responses', 'completions'],
  completions: ['completions', 'messages'],
  messages: ['messages', 'completions', 'responses'],
  embeddings: ['embeddings'],
};

const TRANSLATIONS: readonly Translation[] = [
  responsesToCompletions,
  completionsToMessages,
  messagesToCompletions,
  messagesToResponses,
];

/**
 * The format in which a request of format `client` goes to a provider that speaks `spoken` (PROV-034, PROV-035);
 * undefined when there is no way (the client gets 400).
 */
export function upstreamFormat(client: FormatName, spoken: readonly FormatName[]): FormatName | undefined {
  return PREFERENCE[client].find((format) => spoken.includes(format));
}

/** The translation between two formats; undefined when they are the same, or when there is none. */
export function translationBetween(client: FormatName, upstream: FormatName): Translation | undefined {
  return TRANSLATIONS.find(({ from, to }) => from === client && to === upstream);
}
