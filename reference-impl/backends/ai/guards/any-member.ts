/** Whether some member, at any depth, passes the test. Nothing recurses, so that no depth is too much. */
export function anyMember(value: unknown, test: (member: string, value: unknown) => boolean): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [member, inner] of Object.entries(next)) {
      if (test(member, inner)) return true;
      open.push(inner);
    }
  }
  return false;
}
