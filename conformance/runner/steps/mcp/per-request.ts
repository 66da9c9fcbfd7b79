import { PER_REQUEST } from './mcp-input.ts';

type Json = Readonly<Record<string, unknown>>;

const PREFIX = 'io.modelcontextprotocol/';

/** A request of the revision without sessions: `_meta` says in which revision it is, who asks, and what that client can. */
export function inRevision(message: Json): Json {
  if (typeof message['method'] !== 'string' || message['id'] === undefined) return message;
  const params = objectOf(message['params']);
  const said = {
    [`${PREFIX}protocolVersion`]: PER_REQUEST,
    [`${PREFIX}clientInfo`]: { name: 'conformance', version: '1.0.0' },
    [`${PREFIX}clientCapabilities`]: { roots: {}, sampling: {}, elicitation: {} },
  };
  return { ...message, params: { ...params, _meta: { ...said, ...objectOf(params['_meta']) } } };
}

/** The fields that repeat what a message of that revision is about. */
export function mirroredFields(message: Json): Readonly<Record<string, string>> {
  const { method, params } = message;
  const { name, uri } = objectOf(params);
  const about = [name, uri].find((one) => typeof one === 'string');
  return {
    ...(typeof method === 'string' && { 'mcp-method': fieldText(method) }),
    ...(about !== undefined && { 'mcp-name': fieldText(about) }),
  };
}

/** What a field cannot carry goes in base64. */
function fieldText(text: string): string {
  const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
