// Knows one backend per host, the first that it ever saw, and neither routes nor policies nor changes.
import { httpServer, listenersOf, relay, runNull } from './null-proxy.mjs';

const known = new Map();

runNull({
  data: (state) =>
    httpServer((request, response) => {
      learn(state.resources);
      const host = (request.headers.host ?? '').replace(/:[0-9]*$/, '').toLowerCase();
      const owner = [...known.keys()].find((each) => host === each || host.endsWith(`.${each}`));
      relay(known.get(owner), request, response);
    }),
});

function learn(resources) {
  for (const { hostname, namespace } of listenersOf(resources)) {
    const host = (hostname ?? '').replace(/^\*\./, '').toLowerCase();
    const backend = resources.find(({ kind, metadata }) => kind === 'ProxyBackend' && metadata.namespace === namespace);
    if (backend?.spec.static !== undefined && !known.has(host)) known.set(host, backend.spec.static);
  }
}
