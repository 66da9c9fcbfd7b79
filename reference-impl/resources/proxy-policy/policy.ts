import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from '../envelope.ts';
import { atLeastOne, atMostOne, exactlyOne } from '../groups.ts';
import { condition, parentReference } from '../metadata.ts';
import { group, kindName, listOf, objectName, portNumber, sectionName, stringMap } from '../scalars.ts';
import { backendFull } from './backend.ts';
import { frontend } from './frontend.ts';
import { traffic } from './traffic.ts';

/** A part of the target: one listener, rule, port or sub-backend by name, or one port of a Gateway. */
const section = { sectionName: sectionName.exactOptional(), port: portNumber.exactOptional() };

/** Always in the namespace of the policy (ATTACH-004). */
const targetRef = atMostOne(
  z.strictObject({ group, kind: kindName, name: objectName, ...section }),
  'ADMIT-066',
  'sectionName',
  'port',
);

const targetSelector = atMostOne(
  z.strictObject({ group, kind: kindName, matchLabels: stringMap, ...section }),
  'ADMIT-069',
  'sectionName',
  'port',
);

const strategy = z.strictObject({ inheritance: z.enum(['Default', 'Override']).exactOptional() });

const targets = exactlyOne(
  z.strictObject({
    targetRefs: listOf(targetRef, 1, 16).exactOptional(),
    targetSelectors: listOf(targetSelector, 1, 16).exactOptional(),
    strategy: strategy.exactOptional(),
    frontend: frontend.exactOptional(),
    traffic: traffic.exactOptional(),
    backend: backendFull.exactOptional(),
  }),
  'ADMIT-063',
  'targetRefs',
  'targetSelectors',
);

const ancestorStatus = z.strictObject({
  ancestorRef: parentReference,
  controllerName: z.string(),
  conditions: listOf(condition, 1, 8),
});

export const policyStatus = z.strictObject({ ancestors: z.array(ancestorStatus).max(16).exactOptional() });

/** Attaches frontend, traffic and backend settings to gateways, listeners, routes, services or backends. */
export const proxyPolicy = z.strictObject({
  ...envelope(PROXY_API_VERSION, 'ProxyPolicy'),
  spec: atLeastOne(targets, 'ADMIT-153', 'frontend', 'traffic', 'backend'),
  status: policyStatus.exactOptional(),
});

export type ProxyPolicy = z.infer<typeof proxyPolicy>;
export type TargetRef = z.infer<typeof targetRef>;
export type TargetSelector = z.infer<typeof targetSelector>;
export type PolicyStatus = z.infer<typeof policyStatus>;
export type PolicyAncestorStatus = z.infer<typeof ancestorStatus>;
