import { asObject, asString, type Json } from '../../json.ts';

/** The class of service a reply, or an event of a stream, says it was given. */
export function serviceTierOf(said: Json): string | undefined {
  const inner = asObject(said['response']) ?? asObject(said['message']);
  return tierIn(said) ?? (inner && tierIn(inner));
}

function tierIn(said: Json): string | undefined {
  return asString(said['service_tier']) ?? asString(asObject(said['usage'])?.['service_tier']);
}
