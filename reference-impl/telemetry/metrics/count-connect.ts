import type { View } from '../../attachment/view.ts';
import { perObject } from '../../base/per-object.ts';
import type { Connected } from '../../upstream/open-connection.ts';
import type { AddedAttribute } from '../attributes.ts';
import { compiledFrontend } from '../compile-frontend.ts';
import { METRICS } from '../names/metrics.ts';
import { addedLabels } from './count-request.ts';
import type { Metrics } from './metrics.ts';
import { LabelSet } from './series.ts';

/** METRIC-002: counts the connections to servers that became ready. */
export function connectCounter(metrics: Metrics, view: () => View): Connected {
  return (transport, milliseconds) => {
    const labels = addedLabels(addedAnywhere(view()), () => undefined);
    metrics.of.connects.at(new LabelSet(METRICS.connects.labels, [transport], labels)).add(milliseconds / 1000);
  };
}

/** Requests of every listener may share a connection, so it has the labels of all; the first of several by one name counts. */
const addedAnywhere = perObject(({ binds }: View): readonly AddedAttribute[] => {
  const listeners = [...binds.values()].flatMap((bind) => bind.listeners);
  const added = listeners.flatMap(({ frontend }) => compiledFrontend(frontend)?.labels ?? []);
  return [...new Map(added.toReversed().map((one) => [one.name, one])).values()];
});
