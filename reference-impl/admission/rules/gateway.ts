import type { Gateway } from '../../resources/gateway-api/gateway.ts';
import type { Listener } from '../../resources/gateway-api/listener.ts';
import type { ListenerSet } from '../../resources/gateway-api/listener-set.ts';
import { each, never, findRepeated, row, type Rule } from './row.ts';

interface WithListeners {
  readonly spec: { readonly listeners: readonly Listener[] };
}

/** Rules of the Gateway API over the listeners of one object. */
const listenerRules: readonly Rule<WithListeners>[] = [
  row(
    '',
    (owner) => findRepeated(listenersOf(owner), (listener) => listener.name),
    never,
    (listener) => `listener name ${listener.name} is used twice`,
  ),
  row(
    '',
    (owner) =>
      findRepeated(
        listenersOf(owner),
        (listener) => `${listener.protocol} ${listener.port} ${listener.hostname ?? ''}`,
      ),
    never,
    'another listener has the same port, protocol and hostname',
  ),
];

export const gatewayRules: readonly Rule<Gateway>[] = listenerRules;
export const listenerSetRules: readonly Rule<ListenerSet>[] = listenerRules;

function listenersOf(owner: WithListeners): ReturnType<typeof each<Listener>> {
  return each(['spec', 'listeners'], owner.spec.listeners);
}
