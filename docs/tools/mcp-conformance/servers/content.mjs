// What the official suite wants a server to have, by the names it asks for, whatever revision the server speaks.

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAD//w==';

export const text = (words) => ({ content: [{ type: 'text', text: words }] });

const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });

/** Tools that always say the same. */
export const CONSTANT_TOOLS = {
  test_simple_text: text('This is a simple text response for testing.'),
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { isError: true, ...text('This tool intentionally returns an error for testing') },
};

const user = (content) => ({ role: 'user', content });
const said = (words) => user({ type: 'text', text: words });

/** Per prompt the names of its arguments and the messages it becomes. */
export const PROMPTS = {
  test_simple_prompt: [[], () => [said('This is a simple prompt for testing.')]],
  test_prompt_with_arguments: [
    ['arg1', 'arg2'],
    ({ arg1, arg2 }) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  ],
  test_prompt_with_embedded_resource: [
    ['resourceUri'],
    ({ resourceUri }) => [
      user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      said('Please process the embedded resource above.'),
    ],
  ],
  test_prompt_with_image: [[], () => [user(image), said('Please analyze the image above.')]],
};

export const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched-resource', mimeType: 'text/plain' },
];

export const TEMPLATES = [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }];

/** What a resource holds; undefined for one that is not there. */
export function readResource(uri) {
  const id = /^test:\/\/template\/(.*)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const words = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return [{ uri, mimeType: 'application/json', text: words }];
  }
  if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: PNG }];
  const known = RESOURCES.find((each) => each.uri === uri);
  return known && [{ uri, mimeType: known.mimeType, text: 'This is the content of the static text resource.' }];
}

export const COMPLETION = { completion: { values: ['paris', 'park'], total: 2, hasMore: false } };

/** Behind a gateway that puts the name of a target before those of its items, a target named `test` has them without it. */
export function named(items, isBehindSeveral) {
  if (!isBehindSeveral) return items;
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name.replace(/^test_/, ''), item]));
}

/** The suite also asks in the name of somebody else, as a page in a browser would; servers on loopback have to notice. */
export function isFromElsewhere({ host = '', origin }) {
  return !isHere(host) || (origin !== undefined && !isHere(origin.replace(/^https?:\/\//, '')));
}

function isHere(name) {
  return ['localhost', '127.0.0.1', '[::1]'].includes(name.replace(/:\d+$/, ''));
}
