import { present, type Json } from '../../../json.ts';
import type { Turn } from './content.ts';

/** A tool that the client runs. */
export interface Tool {
  readonly name: string;
  readonly description: unknown;
  readonly schema: unknown;
  readonly strict?: unknown;
}

/** What the model may do with the tools; undefined leaves it to the provider. */
export type ToolChoice = 'auto' | 'any' | 'none' | { readonly name: string } | undefined;

/** `toolConfig`; undefined when there are no tools. Names are as the provider takes them. */
export function toolConfig(tools: readonly Tool[], choice: ToolChoice, turns: readonly Turn[]): Json | undefined {
  // There is no way to forbid tools but to name none.
  if (choice === 'none' || tools.length === 0) return usesTools(turns) ? { tools: [UNUSABLE] } : undefined;
  return present({ tools: tools.map(toolSpec), toolChoice: toolChoice(choice) });
}

/** A conversation in which tools were used is refused without any. */
const UNUSABLE: Json = { toolSpec: { name: 'proxy_dummy_do_not_call', inputSchema: { json: { type: 'object' } } } };

function usesTools(turns: readonly Turn[]): boolean {
  return turns.some(({ content }) => content.some((part) => 'toolUse' in part || 'toolResult' in part));
}

function toolSpec({ name, description, schema, strict }: Tool): Json {
  const text = typeof description === 'string' && description !== '' ? description : undefined;
  const json = schema ?? { type: 'object', properties: {} };
  return { toolSpec: present({ name, description: text, inputSchema: { json }, strict: strict ?? undefined }) };
}

function toolChoice(choice: Exclude<ToolChoice, 'none'>): Json | undefined {
  return typeof choice === 'string' ? { [choice]: {} } : choice && { tool: choice };
}
