/** What a client reads out of what a server says. */
export interface McpAnswer {
  readonly result?: unknown;
  readonly error?: unknown;
  /** Whether there is a result that is no error of a tool; undefined where nothing was asked. */
  readonly outcome?: 'result' | 'rejected';
  /** Texts of content, messages and contents, one after another. */
  readonly text?: string;
  /** Names of the items of a list, sorted: no document says in which order they come. */
  readonly names?: readonly string[];
  readonly uris?: readonly string[];
  /** Methods of what else came in the stream, in order. */
  readonly said: readonly string[];
  /** What else came, in order. */
  readonly messages: readonly unknown[];
}

type Json = Readonly<Record<string, unknown>>;

/** Of a whole answer, or of the events of a stream. `asked` is false for a message that has no answer. */
export function readMcpAnswer(documents: readonly unknown[], { asked, status }: Asked): McpAnswer {
  const objects = documents.filter(isObject);
  const answer = objects.findLast((one) => 'result' in one || 'error' in one);
  const others = objects.filter((one) => 'method' in one);
  const result = isObject(answer?.['result']) ? answer['result'] : undefined;
  const rest = { said: others.map(({ method }) => String(method)), messages: others };
  if (result === undefined) {
    const rejected = asked || (typeof status === 'number' && status >= 400);
    return {
      ...(answer !== undefined && { error: answer['error'] }),
      ...(rejected && { outcome: 'rejected' }),
      ...rest,
    };
  }
  const outcome = result['isError'] === true ? 'rejected' : 'result';
  const texts = textsOf(result);
  return { result, outcome, ...(texts.length > 0 && { text: texts.join('') }), ...listed(result), ...rest };
}

interface Asked {
  readonly asked: boolean;
  readonly status: unknown;
}

const LISTED = ['tools', 'prompts', 'resources', 'resourceTemplates'];

function listed(result: Json): Pick<McpAnswer, 'names' | 'uris'> {
  const member = LISTED.find((one) => Array.isArray(result[one]));
  if (member === undefined) return {};
  const items = objectsOf(result[member]);
  const uris = items.flatMap(({ uri, uriTemplate }) => [uri, uriTemplate].filter((one) => typeof one === 'string'));
  return {
    names: items.map(({ name }) => String(name)).toSorted(),
    ...(uris.length > 0 && { uris: uris.toSorted() }),
  };
}

function textsOf({ content, messages, contents }: Json): readonly string[] {
  const held = objectsOf(messages).flatMap((message) => objectsOf([message['content']]));
  return [...objectsOf(content), ...held, ...objectsOf(contents)].flatMap(({ text }) =>
    typeof text === 'string' ? [text] : [],
  );
}

function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
