import type { Duplex } from 'node:stream';
import type { Endpoint } from '../attachment/view.ts';
import type { Answer, Targeted } from '../exchange/exchange.ts';
import type { Response } from '../upstream/http-call.ts';
import type { Services } from '../credentials/services.ts';

/** How one kind of backend is spoken to. */
export interface Backend {
  /** Decides what is sent and where. Throws noHealthyBackends when there is nowhere, and what makes the request unsendable. */
  readonly prepare: (exchange: Targeted, services: Services) => Prepared | Decided | Promise<Prepared | Decided>;
  /** Sends it. Rejects with a ProxyError when no response comes. */
  readonly send: (prepared: Prepared, services: Services) => Promise<Response>;
}

/** The request is answered here; nobody is called. */
export interface Decided {
  readonly exchange: Targeted;
  readonly answer: Answer;
}

export interface Prepared {
  readonly endpoint: Endpoint;
  /** With the request as the endpoint will receive it (TRACE-077). */
  readonly exchange: Targeted;
  /** Makes the answer of the endpoint one for the client. Throws a ProxyError when that cannot be done. */
  readonly receive?: (answer: Answer, connection: Duplex | undefined) => Answer | Promise<Answer>;
  /** Asks the endpoint to go on with this protocol; `receive` then gets the connection. */
  readonly upgrade?: string;
}
