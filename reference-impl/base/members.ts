/** The member when the value is an object that has it, else undefined. */
export function objectMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** The member when it is a string. */
export function stringMember(value: unknown, name: string): string | undefined {
  const member = objectMember(value, name);
  return typeof member === 'string' ? member : undefined;
}
