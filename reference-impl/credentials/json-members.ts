/** The members of a JSON object; none for any other text, so that whoever wants one says what is missing. Never throws. */
export function jsonMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {}; // its message would show parts of the text
  }
}
