import type { Json } from '../../json.ts';
import { VERSIONS } from './versions.ts';
import type { A2aScript } from './script.ts';

/** The card of the agent that lives at `url`: of version 0.3, of 1.0, or of both. */
export function cardOf(name: string, url: string, { version }: A2aScript): Json {
  const speaks = version === undefined ? VERSIONS : [version];
  return {
    name,
    description: 'An agent of the conformance suite.',
    version: '1.0.0',
    ...(speaks.includes('0.3') && {
      protocolVersion: '0.3.0',
      url,
      preferredTransport: 'JSONRPC',
    }),
    ...(speaks.includes('1.0') && {
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    }),
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'talk', name: 'Talk', description: 'Answers messages.', tags: ['test'] }],
  };
}
