import type { Format } from '../formats/format.ts';
import type { StreamTranslator } from '../translate/translation.ts';
import { NOTHING, type Stage } from './stage.ts';

/** Events of the provider's format become events of the client's; each is told as soon as it can be. */
export function translateStage(client: Format, translator: StreamTranslator): Stage {
  return {
    changes: true,
    push: (events) => events.flatMap((event) => (event.data === undefined ? NOTHING : translator.event(event))),
    end: (ending) => (typeof ending === 'string' ? translator.end() : [client.errorEvent(502, ending.unreadable)]),
  };
}

/** Both sides speak the same format: only what the provider leaves out at the end is added. */
export function sameFormatStage(client: Format): Stage {
  return {
    changes: false,
    push: (events) => events,
    end: (ending) => {
      if (ending === 'whole') return NOTHING;
      return [client.errorEvent(502, ending === 'broken off' ? 'the provider broke off' : ending.unreadable)];
    },
  };
}
