/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- a browser script: the compiler, which knows Node only, does not read it */
// Arms one trace and lists its events as they come. Plain browser JavaScript: what is served is what is written here.
// Everything the traced request says is shown through textContent, never as markup.

const form = document.querySelector('#arm');
const start = document.querySelector('#start');
const stop = document.querySelector('#stop');
const status = document.querySelector('#status');
const list = document.querySelector('#events');
const raw = document.querySelector('#raw');

form.addEventListener('submit', (submission) => {
  submission.preventDefault();
  void trace(document.querySelector('#expression').value.trim());
});

async function trace(expression) {
  const leaving = new AbortController();
  stop.addEventListener('click', () => leaving.abort(), { once: true });
  begin();
  try {
    await follow(expression, leaving.signal);
  } catch (error) {
    status.textContent = leaving.signal.aborted ? 'Stopped.' : `Failed: ${error.message}`;
  } finally {
    start.disabled = false;
    stop.disabled = true;
  }
}

function begin() {
  start.disabled = true;
  stop.disabled = false;
  list.replaceChildren();
  raw.textContent = '';
  status.textContent = 'Opening the trace stream …';
}

async function follow(expression, signal) {
  const query = expression === '' ? '' : `?expression=${encodeURIComponent(expression)}`;
  const response = await fetch(`/debug/trace${query}`, { method: 'POST', signal });
  if (!response.ok) throw new Error((await response.text()).trim());
  status.textContent = 'Waiting for the next request …';

  let complete = false;
  for await (const event of events(response.body)) {
    list.append(row(event));
    status.textContent = `${list.children.length} events`;
    complete ||= event.message?.type === 'requestFinished';
  }
  status.textContent = `${list.children.length} events, ${complete ? 'trace complete.' : 'the stream ended early.'}`;
}

/** The events of a stream of server-sent events; comments are passed over. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length));
  }
}

function row(event) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = event.severity;
  button.textContent = [event.message.type, ...(event.scope ?? []), summary(event.message)].filter(Boolean).join(' · ');
  button.addEventListener('click', () => select(button, event));
  const item = document.createElement('li');
  item.append(button);
  return item;
}

function summary({ stage, phase, kind, selectedRoute, target, status: code, result, error }) {
  const said = typeof result === 'object' ? [result?.type, result?.reason ?? result?.details] : [result];
  return [stage, phase, kind, selectedRoute, target, code, ...said, error].filter((part) => part != null).join(' ');
}

function select(button, event) {
  list.querySelector('[aria-current]')?.removeAttribute('aria-current');
  button.setAttribute('aria-current', 'true');
  raw.textContent = JSON.stringify(event, undefined, 2);
}
