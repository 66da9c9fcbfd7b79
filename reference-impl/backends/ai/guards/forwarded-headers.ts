import { HeaderMap } from '../../../base/headers.ts';
import { compilePattern } from '../../../base/re2.ts';
import type { Targeted } from '../../../exchange/exchange.ts';
import type { Webhook } from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import type { Question } from './guard.ts';

/** The fields a webhook gets to see: of the client's request, or of the provider's answer. */
export type ForwardHeaders = (question: Question) => HeaderMap;

type HeaderMatch = NonNullable<Webhook['forwardHeaderMatches']>[number];

/** None but those that match, and never the credentials that are meant for the provider. docs/decisions/prompt-guard.md */
export function forwardedHeaders(matches: readonly HeaderMatch[]): ForwardHeaders {
  const tests = matches.map(fieldTest);
  return ({ exchange, answer }) => {
    const withheld = ['content-length', ...credentialFields(exchange)];
    const fields = [...(answer ?? exchange.request).headers];
    return HeaderMap.of(
      fields.filter(
        ([name, value]) => !withheld.includes(name.toLowerCase()) && tests.some((test) => test(name, value)),
      ),
    );
  };
}

function fieldTest({ type, name, value }: HeaderMatch): (name: string, value: string) => boolean {
  const wanted = name.toLowerCase();
  const holds = type === 'RegularExpression' ? wholeText(value) : (text: string) => text === value;
  return (field, text) => field.toLowerCase() === wanted && holds(text);
}

/** As in the matches of an HTTPRoute: the whole value, and nothing for what is no RE2 expression. */
function wholeText(pattern: string): (text: string) => boolean {
  const compiled = compilePattern(pattern);
  return (text) => compiled?.testExact(text) ?? false;
}

/** Backend authentication has been here already: these fields hold what the provider is shown. */
function credentialFields({ backend }: Targeted): readonly string[] {
  const { auth } = backend.policies;
  if (auth === undefined) return [];
  const places = [auth.location, ...(auth.credentials ?? []).map(({ location }) => location)];
  return ['authorization', ...places.flatMap((place) => place?.header?.name.toLowerCase() ?? [])];
}
