import { stringify, type ToStringOptions } from 'yaml';

/**
 * A value as YAML that readers of version 1.1 understand the same way: `Off` and the like stand in quotes, because they take it for a
 * boolean. No aliases.
 */
export function yamlText(value: unknown, options: ToStringOptions = {}): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false, ...options });
}
