// What the clients of the protocol's own libraries share: each does what a line of standard input asks and answers with a line, as
// client.py does, which has the words.
import { createInterface } from 'node:readline';

export const ANSWERS = {
  'sampling/createMessage': { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } },
  'elicitation/create': { action: 'accept', content: { name: 'me' } },
  'roots/list': { roots: [{ uri: 'file:///a', name: 'a' }] },
};

export const TOLD = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
];

const VERBS = {
  revision: ({ client }) => client.getNegotiatedProtocolVersion(),
  introduction: ({ client }) => ({
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  }),
  ping: ({ client }) => client.ping(),
  tools: ({ client }) => client.listTools(),
  call: async ({ call }, name, given) => {
    const progress = [];
    const onprogress = ({ progress: done, total }) => progress.push([done, total]);
    return { result: await call({ name, arguments: given }, { onprogress }), progress };
  },
  prompts: ({ client }) => client.listPrompts(),
  prompt: ({ client }, name, given) => client.getPrompt({ name, arguments: given }),
  resources: ({ client }) => client.listResources(),
  templates: ({ client }) => client.listResourceTemplates(),
  read: ({ client }, uri) => client.readResource({ uri }),
  complete: ({ client }, name, argument) => client.complete({ ref: { type: 'ref/prompt', name }, argument }),
  level: ({ client }, level) => client.setLoggingLevel(level),
  // A stream of its own may open late: what nobody heard is said again.
  callUntil: async ({ call, heard }, name, ...methods) => {
    const missed = (method) => !heard.some(([each]) => each === method);
    while (methods.some(missed)) await call({ name, arguments: {} });
  },
  // A subscription, a tool that tells of changes, and what came of it.
  listen: async ({ client, call, heard }, filter, name, ...methods) => {
    const subscription = await client.listen(filter);
    const missed = (method) => !heard.some(([each]) => each === method);
    await call({ name, arguments: {} });
    while (methods.some(missed)) await heard.grows();
    await subscription.close();
    return { agreed: subscription.honoredFilter, closed: await subscription.closed };
  },
};

/** What the server asked and told, in its order. */
class Heard extends Array {
  #grown = Promise.withResolvers();

  add(method, params) {
    this.push([method, params]);
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
  }

  grows() {
    return this.#grown.promise;
  }
}

/** `connect` gets what the line says and a place for what the server asks and tells; it returns the client, and how it calls a tool. */
export async function followStandardInput(connect) {
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await follow(connect, JSON.parse(line)).catch((error) => ({ failed: String(error) }));
    console.log(JSON.stringify(answer));
  }
}

async function follow(connect, asked) {
  const heard = new Heard();
  const connected = await connect(asked, (method, params) => heard.add(method, params));
  const outcomes = [];
  for (const [verb, ...given] of asked.script) {
    outcomes.push(await outcome(() => VERBS[verb]({ ...connected, heard }, ...given)));
  }
  await connected.client.close();
  return { outcomes, heard };
}

async function outcome(ask) {
  try {
    return (await ask()) ?? null;
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}
