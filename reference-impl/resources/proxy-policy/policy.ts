import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from '../envelope.ts';
import { atLeastOne, atMostOne, exactlyOne } from '../groups.ts';
import { condition, parentReference } from '../metadata.ts';
import { noted } from '../notes.ts';
import { group, kindName, listOf, objectName, portNumber, sectionName, stringMap } from '../scalars.ts';
import { backendFull } from './backend.ts';
import { frontend } from './frontend.ts';
import { LIST_OF_TARGETS, TARGETS_OF_PARTS } from './target-validations.ts';
import { traffic } from './traffic.ts';

/** A part of the target: one listener, rule, port or sub-backend by name, or one port of a Gateway. */
const section = { sectionName: sectionName.exactOptional(), port: portNumber.exactOptional() };

/** Always in the namespace of the policy (ADMIT-065, ATTACH-004). */
const targetRef = atMostOne(
  noted(z.strictObject({ group, kind: kindName, name: objectName, ...section }), {
    requires: 'ADMIT-065',
    closed: 'ATTACH-004',
  }),
  'ADMIT-066',
  'sectionName',
  'port',
);

/** Objects of the namespace of the policy, by their labels (ADMIT-068, ADMIT-069). */
const targetSelector = atMostOne(
  noted(z.strictObject({ group, kind: kindName, matchLabels: stringMap, ...section }), {
    requires: 'ADMIT-068',
    closed: 'ATTACH-004',
  }),
  'ADMIT-069',
  'sectionName',
  'port',
);

/** Override keeps traffic policies of more specific levels out (MERGE-003). */
const strategy = z.strictObject({
  inheritance: noted(z.enum(['Default', 'Override']), { default: 'Default', clause: 'ADMIT-070' }).exactOptional(),
});

const targets = exactlyOne(
  z.strictObject({
    targetRefs: noted(listOf(targetRef, 1, 16), { clause: 'ADMIT-064', validations: LIST_OF_TARGETS }).exactOptional(),
    targetSelectors: noted(listOf(targetSelector, 1, 16), {
      clause: 'ADMIT-068',
      validations: LIST_OF_TARGETS,
    }).exactOptional(),
    strategy: strategy.exactOptional(),
    frontend: frontend.exactOptional(),
    traffic: traffic.exactOptional(),
    backend: noted(backendFull, { text: 'The connection to the destination, and what is said on it.' }).exactOptional(),
  }),
  'ADMIT-063',
  'targetRefs',
  'targetSelectors',
);

/** What became of the policy at one Gateway (LIMIT-026). */
const ancestorStatus = z.strictObject({
  ancestorRef: parentReference,
  controllerName: z.string(),
  conditions: noted(listOf(condition, 1, 8), { clause: 'LIMIT-026' }),
});

export const policyStatus = z.strictObject({ ancestors: z.array(ancestorStatus).max(16).exactOptional() });

/** Attaches frontend, traffic and backend settings to gateways, listeners, routes, services or backends (ADMIT-062). */
export const proxyPolicy = noted(
  z.strictObject({
    ...envelope(PROXY_API_VERSION, 'ProxyPolicy'),
    spec: noted(atLeastOne(targets, 'ADMIT-153', 'frontend', 'traffic', 'backend'), { validations: TARGETS_OF_PARTS }),
    status: policyStatus.exactOptional(),
  }),
  { text: 'Settings attached to gateways, listeners, routes, services or backends.', requires: 'ADMIT-062' },
);

export type ProxyPolicy = z.infer<typeof proxyPolicy>;
export type TargetRef = z.infer<typeof targetRef>;
export type TargetSelector = z.infer<typeof targetSelector>;
export type PolicyStatus = z.infer<typeof policyStatus>;
export type PolicyAncestorStatus = z.infer<typeof ancestorStatus>;
