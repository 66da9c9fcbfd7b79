/**
 * Where the model is to stop, as messages and Converse take it: they refuse what is blank, and then the whole request. Undefined when
 * nothing is left. docs/decisions/ai-formats.md
 */
export function stopWords(stop: unknown): readonly unknown[] | undefined {
  const words = (Array.isArray(stop) ? stop : [stop]).filter((word) => typeof word === 'string' && word.trim() !== '');
  return words.length === 0 ? undefined : words;
}

/** Completions go up to 2, messages and Converse to 1, which is as wild as they get. */
export function temperatureUpToOne(temperature: unknown): unknown {
  return typeof temperature === 'number' ? Math.min(temperature, 1) : (temperature ?? undefined);
}
