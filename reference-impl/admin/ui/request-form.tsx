import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { listenersOf, listenerText, type Dump, type Place } from './dump.ts';
import { readHeaderLines } from './header-lines.ts';
import type { Tracing } from './use-trace.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Sends a request to a listener of this proxy. What is typed here stays in this form: it is in no address and in no storage. */
export function RequestForm({
  dump,
  tracing,
}: {
  readonly dump: Dump | undefined;
  readonly tracing: Tracing;
}): JSX.Element {
  const [listener, setListener] = useState(0);
  const [method, setMethod] = useState('GET');
  const [target, setTarget] = useState('/');
  const [headers, setHeaders] = useState('');
  const [body, setBody] = useState('');
  const [wrong, setWrong] = useState('');
  const places = dump === undefined ? [] : listenersOf(dump);
  const place = places[listener] ?? places[0];
  if (dump !== undefined && place === undefined) return <NoListener />;

  const submit = (event: Event): void => {
    event.preventDefault();
    const read = readHeaderLines(headers);
    setWrong('wrong' in read ? read.wrong : '');
    if ('wrong' in read || place === undefined) return;
    const hasHost = read.headers.some(([name]) => name.toLowerCase() === 'host');
    const all = hasHost ? read.headers : [['Host', hostFor(place)] as const, ...read.headers];
    tracing.send({ port: place.port, method, target, headers: all, body });
  };
  return (
    <form class="request" aria-label="Send a request" onSubmit={submit}>
      <h2>Send a request</h2>
      <label>
        Listener
        <select name="listener" onChange={(event) => setListener(Number(event.currentTarget.value))}>
          {places.map((one, index) => (
            <option key={index} value={index} selected={index === listener}>
              {one.port} · {one.listener.hostname ?? 'every host'} · {listenerText(one.listener)}
            </option>
          ))}
        </select>
      </label>
      <div class="line">
        <label>
          Method
          <input
            name="method"
            list="methods"
            autocomplete="off"
            required
            value={method}
            onInput={(event) => setMethod(event.currentTarget.value)}
          />
        </label>
        <datalist id="methods">
          {METHODS.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <label class="wide">
          Path and query
          <input
            name="target"
            autocomplete="off"
            spellcheck={false}
            required
            value={target}
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
        </label>
      </div>
      <label>
        Headers, one in a line
        <textarea
          name="headers"
          rows={3}
          autocomplete="off"
          spellcheck={false}
          placeholder={`Host: ${place === undefined ? '' : hostFor(place)}`}
          value={headers}
          onInput={(event) => setHeaders(event.currentTarget.value)}
        />
      </label>
      <label>
        Body
        <textarea
          name="body"
          rows={2}
          autocomplete="off"
          spellcheck={false}
          value={body}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
      </label>
      {wrong !== '' && (
        <p class="bad" role="alert">
          {wrong}
        </p>
      )}
      <button type="submit" class="main" disabled={place === undefined}>
        Send
      </button>
    </form>
  );
}

/** A host that the listener claims. */
function hostFor({ port, listener: { hostname } }: Place): string {
  return hostname === null ? `127.0.0.1:${port}` : hostname.replace(/^\*/, 'www');
}

function NoListener(): JSX.Element {
  return (
    <section class="request">
      <h2>No listener</h2>
      <p>
        The configuration opens no data port, so that there is nothing to send a request to. Start the proxy with one:
      </p>
      <pre>refproxy serve --config examples/quick-start</pre>
      <p>or give it resources while it runs:</p>
      <pre>kubectl --server {location.origin} apply -f FILE</pre>
    </section>
  );
}
