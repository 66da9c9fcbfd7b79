// translate.mjs PORT SERVER: stands between the suite and an API server and passes everything on, with one change. What the documents call a static backend
// and the dialect beside this file calls Backend, gets the form that Envoy Gateway has for it.
import { createServer, request } from 'node:http';

const [port, server] = process.argv.slice(2);

createServer((question, answer) => {
  const parts = [];
  question.on('data', (part) => parts.push(part));
  question.on('end', () => {
    const body = translated(Buffer.concat(parts));
    const { host: _, 'content-length': __, ...headers } = question.headers;
    const { method } = question;
    const call = request(new URL(question.url, server), {
      method,
      headers: { ...headers, 'content-length': body.length },
    });
    call.once('response', (theirs) => {
      answer.writeHead(theirs.statusCode, theirs.headers);
      theirs.pipe(answer);
    });
    call.once('error', () => answer.destroy());
    call.end(body);
  });
}).listen(Number(port), '127.0.0.1');

function translated(bytes) {
  if (!bytes.includes('"Backend"')) return bytes;
  const { spec, ...object } = JSON.parse(bytes);
  if (object.kind !== 'Backend' || spec?.static === undefined) return bytes;
  const { static: place, ...rest } = spec;
  return Buffer.from(JSON.stringify({ ...object, spec: { ...rest, endpoints: [endpointAt(place)] } }));
}

function endpointAt({ host, port: number, ...others }) {
  // What is no part of an address stays, for the server to refuse.
  if (/^[\d.]+$|:/.test(host)) return { ip: { address: host, port: number }, ...others };
  return { fqdn: { hostname: host, port: number }, ...others };
}
