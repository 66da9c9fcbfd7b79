// The API server of a kubeconfig, as the two programs beside this file speak to it.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { parse } from 'yaml';

/** Returns `ask`, which sends one request and resolves to the answer; its body is not read yet. */
export function openServer(kubeconfig) {
  const { base, ...options } = serverOf(kubeconfig);
  return (resource, { method = 'GET', type = 'application/json', body } = {}) =>
    new Promise((resolve, reject) => {
      const headers = { ...options.headers, 'content-type': type };
      request(`${base}${resource}`, { ...options, method, headers }, resolve)
        .once('error', reject)
        .end(body);
    });
}

export async function textOf(answer) {
  const chunks = await answer.toArray();
  return Buffer.concat(chunks).toString();
}

/** The server of the current context, its authority and the token of its user. */
function serverOf(kubeconfig) {
  const config = parse(readFileSync(kubeconfig, 'utf8'));
  const { context } = config.contexts.find(({ name }) => name === config['current-context']);
  const { cluster } = config.clusters.find(({ name }) => name === context.cluster);
  const { user } = config.users.find(({ name }) => name === context.user);
  const ca = cluster['certificate-authority-data'];
  return {
    base: cluster.server,
    agent: new Agent({ keepAlive: true }),
    ca: ca === undefined ? readFileSync(cluster['certificate-authority']) : Buffer.from(ca, 'base64'),
    headers: { authorization: `Bearer ${user.token}` },
  };
}
