// The dialect from the other side: what a product named in dialect.yaml understands and says. It reads the same data as the
// suite and shares no code with it, so that a mistake of the suite's renaming shows as a failing case.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const OWN = /^Proxy(Backend|Model|ModelList|Parameters|Policy)$/;
const FOREIGN = 'not-a-harbour-word-';

export function readTranslator(file) {
  return createTranslator(parse(readFileSync(file, 'utf8')));
}

/**
 * `inward`: a resource in the product's words, for the reference. A word of the document where the product has its own becomes
 * one that nobody knows, so the product refuses it. `outward`: what the reference says, in the product's words, `place` being
 * where it stands: `ProxyPolicy/spec/traffic`. `refusal`: path and message of a violation, outward.
 */
export function createTranslator({ group, version, kinds = {}, members = {}, enums = {}, values = {} }) {
  const memberRules = Object.entries(members).map(([pattern, table]) => [toExpression(pattern), table]);
  const enumRules = Object.entries(enums).map(([pattern, rule]) => [toExpression(pattern), rule]);

  const inwardText = (text, key, place) => {
    if (key === 'kind') return understood(kinds, text);
    if (key === 'group') return understood({ 'proxy.example': group }, text);
    if (key === 'apiVersion' && text.includes('/'))
      return understood({ 'proxy.example/v1alpha1': `${group}/${version}` }, text);
    const rule = found(enumRules, place) ?? values;
    if (rule !== 'lowerFirst') return understood(rule, text);
    return /^[A-Z]/.test(text) ? FOREIGN + text : text.charAt(0).toUpperCase() + text.slice(1);
  };
  const inward = (value, key = '', place = '') => {
    if (typeof value === 'string') return inwardText(value, key, place);
    if (Array.isArray(value)) return value.map((item) => inward(item, key, place));
    if (value === null || typeof value !== 'object') return value;
    const kind =
      typeof value.kind === 'string' && (place === '' || 'apiVersion' in value) && understood(kinds, value.kind);
    const here = OWN.test(kind || '') ? kind : place === '' ? '-' : place;
    const table = found(memberRules, here) ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([said, item]) => {
        const name = understood(table, said);
        return [name, inward(item, name, below(here, name))];
      }),
    );
  };
  const outward = (value, place) => {
    if (typeof value === 'string') {
      const name = place.slice(place.lastIndexOf('/') + 1);
      if (name === 'kind') return kinds[value] ?? value;
      if (name === 'group') return value === 'proxy.example' ? group : value;
      if (name === 'apiVersion') return value === 'proxy.example/v1alpha1' ? `${group}/${version}` : value;
      const rule = found(enumRules, place) ?? values;
      return rule === 'lowerFirst' ? value.charAt(0).toLowerCase() + value.slice(1) : (rule[value] ?? value);
    }
    if (Array.isArray(value)) return value.map((item) => outward(item, place));
    if (value === null || typeof value !== 'object') return value;
    const table = found(memberRules, place) ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [table[name] ?? name, outward(item, below(place, name))]),
    );
  };
  const refusal = (violation, kind) => {
    let place = kind;
    const words = { ...kinds, ...found(memberRules, place) };
    const path = String(violation.path ?? '').replace(/\[\d+\]|[\w-]+/g, (step) => {
      if (step.startsWith('[')) return step;
      const said = found(memberRules, place)?.[step] ?? step;
      place = below(place, step);
      Object.assign(words, found(memberRules, place));
      return said;
    });
    return { ...violation, path, message: violation.message.replace(/[\w-]+/g, (word) => words[word] ?? word) };
  };
  return { inward, outward, refusal };
}

function found(rules, place) {
  return rules.find(([expression]) => expression.test(place))?.[1];
}

function understood(table, said) {
  const entry = Object.entries(table).find(([, word]) => word === said);
  if (entry) return entry[0];
  return Object.hasOwn(table, said) ? FOREIGN + said : said;
}

// A place is the names on the way to a value, canonical, without list indices.
function toExpression(pattern) {
  const [first, ...rest] = pattern.split('.').map((name) => (name === '*' ? '[^/]+' : name));
  return new RegExp(`^${[first === '[^/]+' ? '.+' : first, ...rest].join('/')}$`);
}

function below(place, name) {
  return `${place}/${encodeURIComponent(name)}`;
}
