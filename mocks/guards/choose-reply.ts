import { createLaneChooser } from '../lanes.ts';
import type { Asked } from './answer.ts';
import type { GuardReply, GuardScript, Match } from './script.ts';

/** Chooses the reply to each question. What is refused uses up no reply. */
export function createChooser(script: GuardScript): (what: Asked) => GuardReply {
  return createLaneChooser(script, { matches, counts: (what) => 'question' in what });
}

function matches({ phase, text }: Match, what: Asked): boolean {
  if ('problem' in what) return false;
  const { question } = what;
  if (phase !== undefined && phase !== question.phase) return false;
  return text === undefined || question.texts.some((one) => one.includes(text));
}
