import type { Targeted } from '../../exchange/exchange.ts';
import type { Json } from '../json.ts';
import type { Message, Outcome } from './message.ts';
import type { Item } from './names.ts';

/** What is known of an MCP request, as expressions, logs and traces see it. It is more when the request found its target. */
export class McpNotes {
  #methodName: string | undefined;
  #sessionId: string | undefined;
  #item: Item | undefined;
  #arguments: unknown;
  #guarded: Json | undefined;
  #error: Json | undefined;

  /** The message of the client. */
  note(message: Message): void {
    if (message.kind !== 'response') this.#methodName = message.method;
  }

  noteSession(id: string | undefined): void {
    this.#sessionId = id;
  }

  /** The item that is asked for, under the name its target knows. */
  noteItem(item: Item, params: Json | undefined): void {
    this.#item = item;
    this.#arguments = params?.['arguments'];
  }

  /** What a guard knows of the request; a later one adds to it. */
  noteGuard(metadata: Json): void {
    this.#guarded = { ...this.#guarded, ...metadata };
  }

  /** What the client was told by an event; only an error is of interest. */
  noteOutcome(outcome: Outcome): void {
    this.#error = 'error' in outcome ? outcome.error : undefined;
  }

  get error(): Json | undefined {
    return this.#error;
  }

  /** What guards said; undefined while none has. */
  describeGuards(): Json | undefined {
    return this.#guarded;
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      ...(this.#methodName !== undefined && { methodName: this.#methodName }),
      ...(this.#sessionId !== undefined && { sessionId: this.#sessionId }),
      ...(this.#item !== undefined && { [this.#item.kind]: this.#describeItem(this.#item) }),
    };
  }

  #describeItem({ target, name }: Item): object {
    return { target, name, ...(this.#arguments !== undefined && { arguments: this.#arguments }) };
  }
}

/** The exchange whose expressions see the notes. */
export function withNotes(exchange: Targeted, notes: McpNotes): Targeted {
  return {
    ...exchange,
    facts: { ...exchange.facts, mcp: () => notes.describe(), mcpGuardrails: () => notes.describeGuards() },
  };
}
