import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from '../envelope.ts';
import { atLeastOne, atMostOne, exactlyOne } from '../groups.ts';
import { condition, parentReference } from '../metadata.ts';
import { described, describedFields, noted } from '../notes.ts';
import { group, kindName, listOf, objectName, portNumber, sectionName, stringMap } from '../scalars.ts';
import { backendFull } from './backend.ts';
import { frontend } from './frontend.ts';
import { LIST_OF_TARGETS, TARGETS_OF_PARTS } from './target-validations.ts';
import { traffic } from './traffic.ts';

/** A part of the target: one listener, rule, port or sub-backend by name, or one port of a Gateway. */
const section = describedFields(
  { sectionName: sectionName.exactOptional(), port: portNumber.exactOptional() },
  {
    sectionName: 'A listener, rule, port or sub-backend of the target, by name.',
    port: 'A port of the target, for frontend policies of a Gateway.',
  },
);

/** Always in the namespace of the policy (ADMIT-065, ATTACH-004). */
const targetRef = atMostOne(
  noted(
    described(
      z.strictObject({ group, kind: kindName, name: objectName, ...section }),
      {
        group: 'Group; empty is core.',
        kind: 'Kind.',
        name: 'Name.',
      },
      'One target in the namespace of the policy.',
    ),
    {
      requires: 'ADMIT-065',
      closed: 'ATTACH-004',
    },
  ),
  'ADMIT-066',
  'sectionName',
  'port',
);

/** Objects of the namespace of the policy, by their labels (ADMIT-068, ADMIT-069). */
const targetSelector = atMostOne(
  noted(
    described(
      z.strictObject({ group, kind: kindName, matchLabels: stringMap, ...section }),
      {
        group: 'API group of the objects; empty for the core group.',
        kind: 'Kind of the objects.',
        matchLabels: 'Labels the objects must have.',
      },
      'Targets in the namespace of the policy, by labels.',
    ),
    {
      requires: 'ADMIT-068',
      closed: 'ATTACH-004',
    },
  ),
  'ADMIT-069',
  'sectionName',
  'port',
);

/** Override keeps traffic policies of more specific levels out (MERGE-003). */
const strategy = described(
  z.strictObject({
    inheritance: noted(z.enum(['Default', 'Override']), { default: 'Default', clause: 'ADMIT-070' }).exactOptional(),
  }),
  { inheritance: 'Override keeps traffic policies of more specific levels out.' },
);

const targets = exactlyOne(
  described(
    z.strictObject({
      targetRefs: noted(listOf(targetRef, 1, 16), {
        clause: 'ADMIT-064',
        validations: LIST_OF_TARGETS,
      }).exactOptional(),
      targetSelectors: noted(listOf(targetSelector, 1, 16), {
        clause: 'ADMIT-068',
        validations: LIST_OF_TARGETS,
      }).exactOptional(),
      strategy: strategy.exactOptional(),
      frontend: frontend.exactOptional(),
      traffic: traffic.exactOptional(),
      backend: noted(backendFull, {
        text: 'The connection to the destination, and what is said on it.',
      }).exactOptional(),
    }),
    {
      targetRefs: '1 to 16 targets by name; instead of targetSelectors.',
      targetSelectors: '1 to 16 targets by labels; instead of targetRefs.',
      strategy: 'How this policy stands to more specific ones.',
      frontend: 'How connections of clients are handled; for Gateways only.',
      traffic: 'What happens to requests before a backend is chosen.',
    },
    'Targets, and what is set for them.',
  ),
  'ADMIT-063',
  'targetRefs',
  'targetSelectors',
);

/** A Gateway; or what stands for targets that belong to none, whose name is no object's. */
const ancestorReference = described(
  parentReference.extend({ name: z.string().min(1).max(253) }),
  { name: 'Name of the Gateway; StatusSummary stands for what has none.' },
  'The Gateway.',
);

/** What became of the policy at one Gateway (LIMIT-026). */
const ancestorStatus = described(
  z.strictObject({
    ancestorRef: ancestorReference,
    controllerName: z.string(),
    conditions: noted(listOf(condition, 1, 8), { clause: 'LIMIT-026' }),
  }),
  { ancestorRef: 'The Gateway.', controllerName: 'Who says so.', conditions: 'What is said, 1 to 8.' },
  'What became of the policy at one Gateway.',
);

const policyStatus = described(z.strictObject({ ancestors: z.array(ancestorStatus).max(16).exactOptional() }), {
  ancestors: 'What became of the policy, by Gateway, up to 16.',
});

/** Attaches frontend, traffic and backend settings to gateways, listeners, routes, services or backends (ADMIT-062). */
export const proxyPolicy = noted(
  described(
    z.strictObject({
      ...envelope(PROXY_API_VERSION, 'ProxyPolicy'),
      spec: noted(atLeastOne(targets, 'ADMIT-153', 'frontend', 'traffic', 'backend'), {
        validations: TARGETS_OF_PARTS,
      }),
      status: policyStatus.exactOptional(),
    }),
    { spec: 'Targets, and what is set for them.', status: 'What the controller observed; written by it alone.' },
  ),
  { text: 'Settings attached to gateways, listeners, routes, services or backends.', requires: 'ADMIT-062' },
);

export type ProxyPolicy = z.infer<typeof proxyPolicy>;
export type TargetRef = z.infer<typeof targetRef>;
export type TargetSelector = z.infer<typeof targetSelector>;
export type PolicyStatus = z.infer<typeof policyStatus>;
export type PolicyAncestorStatus = z.infer<typeof ancestorStatus>;
