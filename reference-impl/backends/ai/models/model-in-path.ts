import { isSafeName } from '../model-name.ts';

/**
 * The model that the path of a request names, for APIs that have it there; undefined when it names none, or something
 * that is no name and would lead elsewhere in the path that is built of it.
 */
export function modelInPath(path: string): string | undefined {
  const written = FORMS.map((form) => form.exec(path)?.[1]).find((text) => text !== undefined);
  const model = written === undefined ? undefined : decodeName(written);
  return model !== undefined && isSafeName(model) ? model : undefined;
}

/** Cloud C and provider 5 write the verb behind a colon, cloud A as a segment of its own. */
const FORMS = [
  /\/publishers\/[^/]+\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/,
  /\/models\/([^/:]+):(?:generateContent|streamGenerateContent|countTokens)$/,
  /\/model\/([^/]+)\/(?:invoke|invoke-with-response-stream|converse|converse-stream)$/,
];

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // not UTF-8 behind the percent signs
  }
}
