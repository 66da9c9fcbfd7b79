import { type Fields, isFields } from '../../resources/groups.ts';

/** `stringData` of a Secret is for writing only: its values go into `data`, and win there. Other kinds stay as they are. */
export function withoutStringData(secret: Fields): Fields {
  const { stringData, ...rest } = secret;
  if (secret['kind'] !== 'Secret' || !isFields(stringData)) return secret;
  const values = Object.entries(stringData);
  // What is wrong stays where it was written, for admission to name.
  if (values.some(([, value]) => typeof value !== 'string')) return secret;
  const encoded = values.map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]);
  const data = isFields(rest['data']) ? rest['data'] : {};
  return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } };
}
