/** How many values there are in a value, itself included; counted up to `limit` and no further. */
export function countValues(root: unknown, limit: number): number {
  let count = 0;
  const open: unknown[] = [root];
  while (open.length > 0 && count <= limit) {
    count += 1;
    const value = open.pop();
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  return count;
}
