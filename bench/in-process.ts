// What needs no sockets: tokens against bare jose, the buckets of local rate limits, and a change of the configuration.
import { KeyObject } from 'node:crypto';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { admit } from '../reference-impl/admission/admit.ts';
import { buildView } from '../reference-impl/attachment/view.ts';
import { systemClock } from '../reference-impl/base/clock.ts';
import { parseKeySet } from '../reference-impl/credentials/key-sets/key-set.ts';
import { compileView } from '../reference-impl/pipeline/compile-view.ts';
import { verifyToken } from '../reference-impl/policies/traffic/jwt-authentication/verify-token.ts';
import { compileLocal, decideLocal } from '../reference-impl/policies/traffic/rate-limit/local.ts';
import type { Resource } from '../reference-impl/resources/kinds.ts';
import { createStore } from '../reference-impl/store/store.ts';
import { resources } from './reference-configuration.ts';
import { median } from './median.ts';

const ISSUER = 'https://bench.test';
const MILLION = 1_000_000;

/** Tokens/s of the reference divided by tokens/s of jose alone: same key, same claims checked, one at a time. */
export async function jwtVerifyRatio(rounds: number, milliseconds: number): Promise<number> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const token = await new SignJWT({ aud: 'api' })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .setIssuer(ISSUER)
    .setExpirationTime('1h')
    .sign(privateKey);
  const keySet = parseKeySet(JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] }));
  if (keySet === undefined) throw new Error('no key set');
  const providers = [{ issuer: ISSUER, audiences: ['api'], keySet: () => keySet }];
  const ours = async (): Promise<void> => {
    // Services of its own each time: what is remembered of tokens hangs on them, and jose remembers nothing.
    const services = {} as Parameters<typeof decideLocal>[2];
    const verdict = await verifyToken(token, providers, { keysOf: () => keySet, services }, systemClock.wall());
    if ('reason' in verdict) throw new Error(verdict.reason);
  };
  const key = KeyObject.from(publicKey);
  const bare = async (): Promise<void> => {
    await jwtVerify(token, key, { issuer: ISSUER, audience: ['api'], algorithms: ['RS256'] });
  };
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    ratios.push((await rateOf(ours, milliseconds)) / (await rateOf(bare, milliseconds)));
  }
  return median(ratios.slice(1));
}

/** Decisions/s over a million buckets in turn, divided by decisions/s over one; and bytes each bucket takes. */
export function localRateLimits(): { readonly ratio: number; readonly bytes: number } {
  // More than anybody takes here: a refusal would be measured as something else.
  const field = { requests: MILLION * MILLION, unit: 'Hours' } as const;
  const exchange = { clock: systemClock } as Parameters<typeof decideLocal>[0];
  const services = {} as Parameters<typeof decideLocal>[2];
  const before = process.memoryUsage().heapUsed;
  const many = Array.from({ length: MILLION }, () => compileLocal([field]));
  // A bucket is made when the first request meets it.
  for (const entries of many) decideLocal(exchange, entries, services);
  const bytes = Math.round((process.memoryUsage().heapUsed - before) / MILLION);
  const one = compileLocal([field]);
  const timed = (entries: (turn: number) => typeof one): number => {
    const began = performance.now();
    for (let turn = 0; turn < MILLION; turn += 1) decideLocal(exchange, entries(turn), services);
    return MILLION / (performance.now() - began);
  };
  timed(() => one);
  const alone = timed(() => one);
  // Neighbours in memory are not asked one after the other.
  return { ratio: timed((turn) => many[(turn * 7919) % MILLION] ?? one) / alone, bytes };
}

/** Milliseconds until 10,000 routes and 10 policies are in force, at first and after one of the routes changed. */
export function configurationChanges(): { readonly load: number; readonly change: number } {
  const all = resources({ port: 3000, upstream: 8000, routes: 10_000, policies: 10 }).map(asAdmitted);
  const store = createStore(systemClock);
  store.subscribe((snapshot) => {
    compileView(buildView(snapshot));
  });
  const timed = (): number => {
    const began = performance.now();
    store.replace(new Map([['bench', all]]));
    return performance.now() - began;
  };
  const load = timed();
  const changed = all.findIndex(({ kind }) => kind === 'HTTPRoute');
  const changes = Array.from({ length: 15 }, () => {
    const route = all[changed];
    if (route !== undefined) all[changed] = { ...route };
    return timed();
  });
  return { load, change: median(changes) };
}

function asAdmitted(written: object): Resource {
  const admission = admit(written);
  if (!admission.ok) throw new Error(`not admitted: ${JSON.stringify(admission.violations)}`);
  return admission.resource;
}

async function rateOf(run: () => Promise<void>, milliseconds: number): Promise<number> {
  const began = performance.now();
  let runs = 0;
  while (performance.now() - began < milliseconds) {
    await run();
    runs += 1;
  }
  return runs / (performance.now() - began);
}
