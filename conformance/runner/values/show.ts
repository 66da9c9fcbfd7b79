const LIMIT = 240;

/** A value as one line of text for a failure message; long values are cut with their length named. */
export function show(value: unknown, limit: number = LIMIT): string {
  if (value === undefined) return 'nothing';
  const text = value instanceof Uint8Array ? `${value.byteLength} bytes` : (JSON.stringify(value) ?? typeof value);
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}
