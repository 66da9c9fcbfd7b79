// What the servers of the protocol's own libraries offer, which is what server.py offers.
import { z } from 'zod';

/**
 * Registers it. `dialect` has what differs between the libraries: `completable` and `ResourceTemplate`, and `speak`, which makes
 * `{token, notify, ask, log}` of what a tool is called with.
 */
export function offer(server, { completable, ResourceTemplate, speak }) {
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => says(text));
  server.registerTool('broken', {}, () => ({ ...says('no'), isError: true }));
  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  );
  server.registerTool('link', {}, () => ({ content: [{ type: 'resource_link', uri: 'memo://note', name: 'note' }] }));
  server.registerTool('slow', {}, async (context) => {
    const { token: progressToken, notify, ask } = speak(context);
    for (const progress of [1, 2]) await notify('notifications/progress', { progressToken, progress, total: 2 });
    // A client may read the answer before it looks at progress that came with it; what it answers it looked at afterwards.
    await ask('ping');
    return { content: [] };
  });
  server.registerTool('work', {}, async (context) => {
    const { ask, log } = speak(context);
    const messages = [{ role: 'user', content: { type: 'text', text: 'how many' } }];
    const sampled = await ask('sampling/createMessage', { messages, maxTokens: 5, systemPrompt: 's' });
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const elicited = await ask('elicitation/create', { message: 'who', requestedSchema });
    await log('logged');
    return says(`${sampled.content.text} ${elicited.action} ${elicited.content.name}`);
  });
  server.registerTool('roots', {}, async (context) => {
    const { roots } = await speak(context).ask('roots/list');
    return says(roots.map(({ name, uri }) => `${name} ${uri}`).join());
  });
  server.registerTool('touch', {}, async () => {
    await server.server.sendResourceUpdated({ uri: 'memo://note' });
    await server.server.sendToolListChanged();
    return { content: [] };
  });
  server.registerPrompt(
    'greet',
    { argsSchema: { who: completable(z.string(), (start) => [`${start}ou`]) } },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `greet ${who}` } }] }),
  );
  server.registerResource('note', 'memo://note', {}, ({ href }) => ({ contents: [{ uri: href, text: 'noted' }] }));
  server.registerResource('any', new ResourceTemplate('memo://any/{name}', { list: undefined }), {}, ({ href }) => ({
    contents: [{ uri: href, text: 'any x' }],
  }));
}

/** How the servers of the libraries introduce themselves. */
export const INTRODUCED = { capabilities: { logging: {}, resources: { subscribe: true } }, instructions: 'be kind' };

function says(text) {
  return { content: [{ type: 'text', text }] };
}
