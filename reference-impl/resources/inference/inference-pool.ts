import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { described } from '../notes.ts';
import { portNumber, stringMap } from '../scalars.ts';

export const INFERENCE_API_GROUP = 'inference.networking.k8s.io';

const selector = described(
  z.looseObject({ matchLabels: stringMap }),
  { matchLabels: 'Labels a Pod must have, all of them; without any no Pod is selected.' },
  'Which Pods are in the pool.',
);

const targetPort = described(
  z.looseObject({ number: portNumber }),
  { number: 'Port number.' },
  'One port of each Pod.',
);

/** Only the members the proxy reads are checked. The endpoint picker is kept and not asked. */
export const inferencePool = described(
  z.strictObject({
    ...envelope(`${INFERENCE_API_GROUP}/v1`, 'InferencePool'),
    spec: described(
      z.looseObject({
        selector,
        targetPorts: z.array(targetPort).min(1).max(8),
        endpointPickerRef: z.looseObject({}).exactOptional(),
      }),
      {
        selector: 'Which Pods of the namespace are in the pool.',
        targetPorts: 'Ports of each Pod, 1 to 8; every one is an endpoint.',
        endpointPickerRef: 'Kept, not read.',
      },
    ),
    status: z.looseObject({}).exactOptional(),
  }),
  { spec: 'Pods and ports.', status: 'Kept, not read.' },
  'Pods that serve models, under one name.',
);

export type InferencePool = z.infer<typeof inferencePool>;
