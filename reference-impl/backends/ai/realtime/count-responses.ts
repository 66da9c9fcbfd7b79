import type { Usage } from '../formats/format.ts';
import { usageIn } from '../call/detect-usage.ts';
import { asObject, asString, parseObject } from '../../json.ts';
import type { LlmCall } from '../call/llm-call.ts';
import { messageReader, TEXT } from './frames.ts';

/** Adds up the tokens of the responses in what the provider sends. */
export function countResponses(call: LlmCall): (bytes: Uint8Array) => void {
  // A message that is too large to be read is passed on all the same, and not counted.
  const { push } = messageReader(() => {});
  let sum: Partial<Usage> = {};
  return (bytes) => {
    for (const { opcode, payload } of push(bytes)) {
      if (opcode !== TEXT) continue;
      call.streamBegan();
      const event = parseObject(payload.toString('utf8'));
      if (event?.['type'] !== 'response.done') continue;
      // Each response has counts of its own, and the connection has all of them.
      sum = addUsage(sum, usageIn(event) ?? {});
      call.count({ usage: sum, model: asString(asObject(event['response'])?.['model']) });
    }
  };
}

function addUsage(one: Partial<Usage>, other: Partial<Usage>): Partial<Usage> {
  const counts = [one, other].flatMap((usage) => Object.entries(usage));
  return counts.reduce<Record<string, number>>(
    (sum, [member, count]) => ({ ...sum, [member]: (sum[member] ?? 0) + count }),
    {},
  );
}
