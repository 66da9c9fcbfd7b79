import { asString } from '../../json.ts';
import type { FormatName, Json } from '../formats/format.ts';

/** The newer models of vendor1 know the limit of an answer under another name, wherever they are hosted. */
export function renameLimit(request: Json, format: FormatName): Json {
  if (format !== 'completions' || asString(request['model'])?.startsWith('gpt-') !== true) return request;
  const { max_tokens: limit, ...rest } = request;
  return limit === undefined ? request : { max_completion_tokens: limit, ...rest };
}
