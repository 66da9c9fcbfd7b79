/** The id of a model of provider 4 as the platform spells it, with `@` before its date; undefined for other models. */
export function vendor4Model(model: string): string | undefined {
  const id = /(?:publishers\/anthropic\/models\/|^anthropic\/|^(?=claude-))([^/]+)$/.exec(model)?.[1];
  return id?.replace(/-(\d{8})$/, '@$1');
}

/** The id of a model of provider 5 that speaks; undefined for other models, and for those that make vectors. */
export function vendor5Model(model: string): string | undefined {
  const id = /^(?:publishers\/google\/models\/|models\/|google\/)?([^/]+)$/.exec(model)?.[1];
  return id !== undefined && /^gemini[-@]/.test(id) && !id.startsWith('gemini-embedding-') ? id : undefined;
}
