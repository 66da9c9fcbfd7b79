/** What every request of a client says of itself. */
export const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
} as const;

/** Opens a session and resolves to its id. */
export async function openSession(url: string): Promise<string> {
  const { 'mcp-protocol-version': protocolVersion } = HEADERS;
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const answer = await send(url, {}, { id: 0, method: 'initialize', params });
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session at ${url}: ${answer.status}`);
  await send(url, { 'mcp-session-id': id }, { method: 'notifications/initialized' });
  return id;
}

/** The body of a call. */
export function callOf(name: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
}

async function send(url: string, headers: Record<string, string>, message: object): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const answer = await fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  await answer.text();
  return answer;
}
