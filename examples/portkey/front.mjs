// The server that clients speak to. It reads nothing of a request but host, path and headers, and changes nothing of what comes back.
import { createServer, request as httpRequest } from 'node:http';
import { isIP } from 'node:net';
import { findRule } from './routes.mjs';

/** Where the gateway takes a format; what is nobody's format goes through its proxy. */
const ENDPOINTS = {
  Completions: '/v1/chat/completions',
  Messages: '/v1/messages',
  Responses: '/v1/responses',
  Embeddings: '/v1/embeddings',
  Vendor4TokenCount: '/v1/messages/count_tokens',
  Rerank: '/v1/rerank',
};

/** Header fields of a client that are none of the provider's: of this connection, of the body's form, of whoever asks. */
const OWN_FIELDS = new Set(
  'accept-encoding authorization connection content-length content-type expect host keep-alive proxy-connection te trailer transfer-encoding upgrade x-api-key'.split(
    ' ',
  ),
);

/** Serves on a port, by the `routes` of what it answers with. */
export async function startFront(port, gatewayPort) {
  const front = { routes: [], close: () => server.close() };
  const server = createServer((request, response) => handle(front.routes, gatewayPort, request, response));
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return front;
}

function handle(routes, gatewayPort, request, response) {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  const rule = findRule(routes, host, request.url);
  if (rule === undefined) return refuse(response, 404, 'no route');
  if (rule.backend === undefined) return refuse(response, 500, 'no backend');
  if (rule.backend.static !== undefined) {
    const { host: named, port } = rule.backend.static;
    return forward(
      request,
      response,
      rule.backend.static,
      request.url,
      isIP(named) ? {} : { host: `${named}:${port}` },
    );
  }
  const format = formatAt(rule.backend.routes, request.url.split('?', 1)[0]);
  if (rule.backend.configs[format] === undefined) return refuse(response, 400, `no way to ask for ${format}`);
  const target = { host: '127.0.0.1', port: gatewayPort };
  const { at, config } = asked(rule.backend.configs[format], format, request);
  return forward(request, response, target, at, { 'x-portkey-config': JSON.stringify(config) });
}

/** The longest suffix counts, then `*`, then Completions. */
function formatAt(routes, path) {
  const suffixes = Object.keys(routes).filter((suffix) => suffix !== '*' && path.endsWith(suffix));
  const [longest] = suffixes.toSorted((one, other) => other.length - one.length);
  return routes[longest ?? '*'] ?? 'Completions';
}

/** The path at the gateway and the configuration, with what is known of this request only. */
function asked(config, format, request) {
  const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
  const fields = Object.keys(request.headers).filter(
    (name) => !OWN_FIELDS.has(name) && !/^x-(?:portkey|amz)-/.test(name),
  );
  const complete = { forward_headers: fields, ...withKey(config, keyOf(request.headers)) };
  if (format === 'Models') return { at: '/v1/models', config: complete };
  const at = ENDPOINTS[format];
  return { at: at === undefined ? `/v1/proxy${request.url}` : at + query, config: complete };
}

function withKey(config, key) {
  if (config.targets !== undefined) return { ...config, targets: config.targets.map((one) => withKey(one, key)) };
  return config.api_key === undefined && config.aws_access_key_id === undefined ? { ...config, api_key: key } : config;
}

function keyOf(headers) {
  return headers['x-api-key'] ?? /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] ?? '';
}

function forward(request, response, { host, port }, path, more) {
  const headers = { ...endToEnd(request.headers), ...more };
  const onward = httpRequest({ host, port, path, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
    answer.once('error', () => response.destroy());
    answer.once('aborted', () => response.destroy());
  });
  onward.once('error', () => (response.headersSent ? response.destroy() : refuse(response, 502, 'no answer')));
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}

/** Fields of one connection stay behind (RFC 9110, section 7.6.1). */
function endToEnd({ connection = '', ...headers }) {
  const named = connection.toLowerCase().split(/\s*,\s*/);
  const behind = new Set(['keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', ...named]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !behind.has(name)));
}

function refuse(response, status, text) {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}
