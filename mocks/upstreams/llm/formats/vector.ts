/** A vector that depends on the text, and on nothing else. Its numbers are exact in 32 bits. */
export function vectorOf(text: string, dimensions: number): readonly number[] {
  let state = 7;
  for (const character of text) state = (state * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return Array.from({ length: dimensions }, (_, index) => (((state + index * 127) % 256) - 128) / 128);
}
