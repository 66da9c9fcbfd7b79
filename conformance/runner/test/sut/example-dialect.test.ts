import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { caseDocuments } from '../../case/case-documents.ts';
import { createDialect } from '../../sut/dialect.ts';
import { isObject, type JsonObject } from '../../values/json.ts';
import { packageRoot } from '../../values/package-root.ts';
import { wholeSuite } from '../support/whole-suite.ts';

/** The product's side of the example, which shares no code with the suite. */
interface Translator {
  readonly inward: (resource: unknown) => unknown;
  readonly outward: (value: unknown, place: string) => unknown;
  readonly refusal: (violation: { readonly path: string; readonly message: string }, kind: string) => object;
}

const folder = path.join(packageRoot(), 'examples/dialect');
const data: unknown = parse(readFileSync(path.join(folder, 'dialect.yaml'), 'utf8'));
const dialect = createDialect(data);
let product: Translator;
/** Resources, each as the document has it and as the product does. */
let corpus: readonly (readonly [resource: JsonObject, spoken: unknown])[];

beforeAll(async () => {
  const module: unknown = await import(pathToFileURL(path.join(folder, 'translate.mjs')).href);
  if (!isTranslatorModule(module)) throw new TypeError('translate.mjs exports no createTranslator');
  product = module.createTranslator(data);
  const { cases } = await wholeSuite();
  // Most differ in the names of their case alone, which no dialect looks at.
  const texts = cases
    .filter(({ layer }) => layer !== 'property')
    .flatMap((one) =>
      caseDocuments(one).map(({ resource }) => JSON.stringify(resource).replaceAll(one.namespace, 'of-case')),
    );
  corpus = [...new Set(texts)]
    .map((text) => JSON.parse(text) as unknown)
    .filter(isObject)
    .map((resource) => [resource, dialect.toImplementation(resource)]);
  // Some seconds of a processor, which a busy machine does not have at once.
}, 60_000);

describe('the example dialect', () => {
  test('there and back is the identity for every resource of the corpus', () => {
    expect(corpus.length).toBeGreaterThan(1000);
    const changed = corpus.filter(([resource, spoken]) => !isDeepStrictEqual(dialect.toCanonical(spoken), resource));
    expect(changed).toEqual([]);
  });

  test('changes what belongs to the product and nothing of other groups but references', () => {
    const others = corpus.filter(([{ apiVersion }]) => !String(apiVersion).startsWith('proxy.example/'));
    const plain = others.filter(([{ kind }]) => kind === 'Secret' || kind === 'Service' || kind === 'EndpointSlice');
    expect(plain.length).toBeGreaterThan(10);
    expect(plain.filter(([resource, spoken]) => !isDeepStrictEqual(spoken, resource))).toEqual([]);
    const own = corpus.filter(([{ apiVersion }]) => apiVersion === 'proxy.example/v1alpha1');
    const texts = own.map(([, spoken]) => JSON.stringify(spoken));
    expect(texts.filter((text) => text.includes('proxy.example'))).toEqual([]);
  });

  test('is understood by the product, which reads the same data with code of its own', () => {
    const understood = corpus
      .filter(([resource]) => isPlain(resource))
      .map(([resource, spoken]) => [resource, product.inward(spoken)]);
    // A word of an enum in the wrong case is no word of the product either: it says so, and refuses it.
    const strange = understood.filter(([, inward]) => JSON.stringify(inward).includes('not-a-harbour-word-'));
    expect(strange.length).toBeLessThan(corpus.length / 20);
    const others = understood.filter((pair) => !strange.includes(pair));
    expect(others.filter(([resource, inward]) => !isDeepStrictEqual(inward, resource))).toEqual([]);
  });

  test('there and back is the identity for resources nobody would write', () => {
    const word = fc.constantFrom(...wordsOf(data));
    const tree = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 7, depthSize: 'medium' },
        word,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(word, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    const kind = fc.constantFrom('ProxyPolicy', 'ProxyBackend', 'ProxyModel', 'HarbourPolicy', 'Secret');
    const resource = fc.record({
      apiVersion: fc.constantFrom('proxy.example/v1alpha1', 'proxy.example/v1', 'gateway.harbour.example/v1', 'v1'),
      kind,
      spec: tree,
    });
    fc.assert(
      fc.property(resource, (one) => {
        expect(dialect.toCanonical(dialect.toImplementation(one))).toEqual(one);
      }),
      { numRuns: 500 },
    );
  });

  test('translates values by table, by a rule for their case, and in maps', () => {
    const resource = {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyPolicy',
      spec: {
        strategy: { inheritance: 'Override' },
        traffic: { phase: 'PreRouting', authorization: { action: 'Deny', policy: { matchExpressions: ['Deny'] } } },
        backend: {
          ai: {
            routes: { '/v1/messages.count': 'Vendor4TokenCount' },
            promptGuard: { request: [{ moderation1: {} }] },
          },
        },
      },
    };
    expect(dialect.toImplementation(resource)).toEqual({
      apiVersion: 'gateway.harbour.example/v1',
      kind: 'HarbourPolicy',
      spec: {
        strategy: { precedence: 'binding' },
        requests: { when: 'preRouting', authorization: { effect: 'deny', policy: { matchExpressions: ['Deny'] } } },
        upstream: {
          ai: {
            routes: { '/v1/messages.count': 'CedarTokenCount' },
            promptGuard: { request: [{ alderModeration: {} }] },
          },
        },
      },
    });
  });

  test('leaves a word of the document wrong where the product has its own', () => {
    const canonical = { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyPolicy', spec: { traffic: {} } };
    expect(product.inward(canonical)).not.toEqual(canonical);
    expect(dialect.toImplementation(dialect.toImplementation(canonical))).not.toEqual(
      dialect.toImplementation(canonical),
    );
  });

  test('a refusal in the words of the product is read in those of the document', () => {
    const refusal = { path: 'spec.traffic.timeouts.request', message: 'request is no Duration of a ProxyPolicy' };
    const said = product.refusal(refusal, 'ProxyPolicy');
    expect(said).toEqual({ path: 'spec.requests.deadlines.total', message: 'total is no Duration of a HarbourPolicy' });
    expect(dialect.violationToCanonical({ ...refusal, ...said }, 'ProxyPolicy')).toEqual(refusal);
  });

  test('an effective policy of the product is read in the words of the document', () => {
    const policy = { timeouts: { request: '1s' }, authorization: [{ action: 'Allow' }] };
    const shown = product.outward(policy, 'ProxyPolicy/spec/traffic');
    expect(shown).toEqual({ deadlines: { total: '1s' }, authorization: [{ effect: 'allow' }] });
    expect(dialect.toCanonical(shown, 'ProxyPolicy.spec.traffic')).toEqual(policy);
  });
});

function isTranslatorModule(value: unknown): value is { readonly createTranslator: (dialect: unknown) => Translator } {
  return isObject(value) && typeof value['createTranslator'] === 'function';
}

/** A case about wrong names delivers wrong names; the product does not understand those. */
function isPlain({ apiVersion }: JsonObject): boolean {
  return apiVersion !== 'proxy.example/v1';
}

/** Names and values of both sides, so that random resources hit the rules. */
function wordsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return typeof value === 'string' ? [value] : [];
  return Object.entries(value).flatMap(([name, item]) => [...name.split('.'), ...wordsOf(item)]);
}
