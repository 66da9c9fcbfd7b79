import { stringify, type ToStringOptions } from 'yaml';

/**
 * A value as YAML that readers of version 1.1 understand the same way: texts such as `Off`, `y`, `010` or `2001-12-14` stand in quotes,
 * because those readers, `kubectl` among them, take them for something else. No aliases.
 */
export function yamlText(value: unknown, options: ToStringOptions = {}): string {
  return stringify(value, { compat: 'yaml-1.1', aliasDuplicateObjects: false, ...options });
}
