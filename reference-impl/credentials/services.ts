import type { Log } from '../base/log.ts';
import { perObject } from '../base/per-object.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Callers } from '../upstream/callers.ts';
import type { HealthRegister } from '../upstream/health/register.ts';
import type { PasswordQueue } from './passwords/password-queue.ts';
import type { TokenCache } from './token-cache.ts';

/*
 * WHAT OUTLIVES A REQUEST. All of it hangs on the Services, which are put together once: two programs in one process
 * share none of it. `docs/tools/check-state.ts` finds a file that keeps something and is not named here.
 *
 * | what                  | kept by                                                     | key                        | until             | at most        |
 * | --------------------- | ----------------------------------------------------------- | -------------------------- | ----------------- | -------------- |
 * | connections           | upstream/pools.ts                                           | endpoint, way of dialling  | idle for 4 to 90 s | 1,024 pools   |
 * | HTTP/2 connections    | upstream/http2-sessions.ts                                  | endpoint, way of dialling  | idle for 60 s     | 1,024 origins  |
 * | health of endpoints   | upstream/health/register.ts                                 | names of backend, endpoint | the names go      | 1 per endpoint |
 * | tokens for backends   | credentials/token-cache.ts                                  | name of resource, content  | token or name end | 8,192 per name |
 * | waiting passwords     | credentials/passwords/password-queue.ts                     | list of users, address of the client | verified, client gone | 128 per list |
 * | accepted passwords    | policies/traffic/basic-authentication/accepted-passwords.ts | users; name and password   | the users change  | 1,024 per list |
 * | accepted tokens       | policies/traffic/jwt-authentication/verify-token.ts | a key; the token       | the keys change   | 1,024, 1 MiB per key |
 * | keys of issuers       | credentials/key-sets/remote-key-set.ts                      | `jwks.remote`              | it changes        | 1 MiB each     |
 * | bad keys were logged  | credentials/key-sets/inline-key-set.ts                      | `jwks.inline`              | it changes        | 1 bit each     |
 * | a bad certificate was logged | credentials/oauth/client-assertion.ts               | `privateKeyJwt`            | it changes        | 1 print each   |
 * | buckets               | policies/traffic/rate-limit/local.ts                        | `rateLimit.local`          | it changes        | 1 per entry    |
 * | sessions of MCP clients | backends/mcp/session.ts                                     | id of the session          | idle for 30 min   | 16,384         |
 * | revisions MCP servers speak | backends/mcp/per-request/spoken.ts | the target               | 5 min, or it changes | 1 per target  |
 * | streams of older MCP clients | backends/mcp/clients/sse.ts                            | id of the stream           | it ends           | 16,384         |
 * | records on their way  | telemetry/otlp/exporter.ts                                  | the field of the policy    | it changes        | 2,048 each     |
 * | counts of metrics     | telemetry/metrics/series.ts                                 | values of labels           | the proxy ends    | 10,000 per group |
 * | decisions             | policies/traffic/ext-auth/cache.ts                          | `extAuth.cache`; its `key` | ttl, or it changes | maxEntries, 64 MiB |
 *
 * The first five are members of the Services and know their things by name. The others belong to what a field was compiled
 * to, and are declared with `lastingState`. A field that a change of the configuration leaves alone is compiled to the same
 * object, so what was learnt for it survives the change.
 *
 * Not here, because requests change nothing of it: what follows from configuration, which is remembered per object
 * (base/per-object.ts); expressions and patterns by their text (cel/compile.ts, cel/pattern.ts); what is loaded once
 * (upstream/tls.ts, backends/ai/guards/phone-numbers.ts). Nor the evaluation that runs just now (cel/frame.ts), nor what
 * the admin listener shows (admin/resource-api/implied-namespaces.ts).
 */

/** What handling a request needs of the world besides the exchange; `cli/serve` puts it together once. */
export interface Services extends Callers {
  /** What is known of the endpoints. */
  readonly health: HealthRegister;
  /** What others lent the proxy to show it to backends. */
  readonly tokens: TokenCache;
  /** Whether clients know their passwords. */
  readonly passwords: PasswordQueue;
  readonly log: Log;
  /** Who is told about requests when they are over; absent where nobody is. */
  readonly telemetry?: Telemetry;
}

/**
 * Declares state that outlives a request: made for its owner when somebody first asks, and gone with the owner, which is
 * an object that configuration was compiled to.
 */
export function lastingState<Owner extends object, State>(
  create: (owner: Owner) => State,
): (services: Services, owner: Owner) => State {
  const statesOf = perObject<Services, (owner: Owner) => State>(() => perObject(create));
  return (services, owner) => statesOf(services)(owner);
}
