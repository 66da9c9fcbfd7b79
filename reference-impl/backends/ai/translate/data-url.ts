/** What a data URL holds; undefined for another URL, or one that is not in base64. */
export function dataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const [, mediaType, base64] = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType: mediaType.toLowerCase(), base64 };
}
