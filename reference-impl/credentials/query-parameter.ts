/**
 * Name and value of one piece of a query, decoded as a form encodes them; undefined for an empty piece. The `&` keeps a
 * leading `?` from being dropped.
 */
export function queryParameter(piece: string): readonly [name: string, value: string] | undefined {
  const [first] = new URLSearchParams(`&${piece}`);
  return first;
}
