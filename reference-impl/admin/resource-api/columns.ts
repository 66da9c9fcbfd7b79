import { type Fields, isFields } from '../../resources/groups.ts';
import type { KindName } from '../../resources/kinds.ts';
import type { ShownObject } from './shown-object.ts';

/** One column of the table of a kind. */
export interface Column {
  readonly name: string;
  readonly description: string;
  readonly type?: 'string' | 'integer';
  /** Shown only by clients that want wide tables. */
  readonly wide?: boolean;
  readonly cell: (object: ShownObject, now: number) => string | number;
}

const ACCEPTED = condition('Accepted');

/** Between the name and the age. */
export const COLUMNS: Partial<Readonly<Record<KindName, readonly Column[]>>> = {
  ProxyBackend: [column('Type', 'Variant of the backend', variantOf), ACCEPTED],
  ProxyPolicy: [
    column('Targets', 'What the policy attaches to', targetsOf),
    column('Accepted', 'Whether the policy is valid', (object) => ancestorCondition(object, 'Accepted')),
    column('Attached', 'Whether every target was found', (object) => ancestorCondition(object, 'Attached')),
  ],
  GatewayClass: [column('Controller', 'Who acts on the class', (object) => text(at(object, 'spec', 'controllerName')))],
  Gateway: [
    column('Class', 'GatewayClass of the Gateway', (object) => text(at(object, 'spec', 'gatewayClassName'))),
    column('Listeners', 'Names and ports', (object) => listenersOf(at(object, 'spec', 'listeners'))),
    condition('Programmed'),
  ],
  ListenerSet: [
    column('Listeners', 'Names and ports', (object) => listenersOf(at(object, 'spec', 'listeners'))),
    ACCEPTED,
  ],
  HTTPRoute: [
    column('Hostnames', 'Names the route answers to', (object) => joinTexts(at(object, 'spec', 'hostnames'))),
  ],
  Service: [
    column('Type', 'Sort of service', (object) => text(at(object, 'spec', 'type')) || 'ClusterIP'),
    column('Cluster-IP', 'Address inside the cluster', (object) => text(at(object, 'spec', 'clusterIP')) || '<none>'),
    column('Port(s)', 'Ports of the service', (object) => portsOf(at(object, 'spec', 'ports'))),
  ],
  EndpointSlice: [
    column('AddressType', 'Sort of addresses', (object) => text(object['addressType'])),
    column('Ports', 'Ports of the endpoints', (object) => portsOf(object['ports'])),
    column('Endpoints', 'Addresses', (object) => joinTexts(listOf(object['endpoints']).flatMap(addressesOf))),
  ],
  Pod: [
    column('Ready', 'Whether it takes requests', (object) => conditionIn(at(object, 'status', 'conditions'), 'Ready')),
    column('IP', 'Its address', (object) => text(at(object, 'status', 'podIP')) || '<none>'),
  ],
  InferencePool: [column('Ports', 'Ports of each Pod', (object) => numbersOf(at(object, 'spec', 'targetPorts')))],
  Secret: [
    column('Type', 'Sort of secret', (object) => text(object['type']) || 'Opaque'),
    number('Data', 'How many values it holds', (object) => sizeOf(object['data'])),
  ],
  ConfigMap: [
    number('Data', 'How many values it holds', (object) => sizeOf(object['data']) + sizeOf(object['binaryData'])),
  ],
  Namespace: [column('Status', 'Whether it can be used', (object) => text(at(object, 'status', 'phase')))],
};

function column(name: string, description: string, cell: (object: ShownObject) => string): Column {
  return { name, description, cell };
}

function number(name: string, description: string, cell: (object: ShownObject) => number): Column {
  return { name, description, type: 'integer', cell };
}

function condition(type: string): Column {
  return column(type, `Condition ${type}`, (object) => conditionIn(at(object, 'status', 'conditions'), type));
}

/** True when it holds for every ancestor. */
function ancestorCondition(object: ShownObject, type: string): string {
  const found = listOf(at(object, 'status', 'ancestors'))
    .map((ancestor) => conditionIn(isFields(ancestor) ? ancestor['conditions'] : undefined, type))
    .filter((status) => status !== '');
  return found.find((status) => status !== 'True') ?? found[0] ?? '';
}

function conditionIn(conditions: unknown, type: string): string {
  const found = listOf(conditions).find((each) => isFields(each) && each['type'] === type);
  return isFields(found) ? text(found['status']) : '';
}

function variantOf({ spec }: ShownObject): string {
  return isFields(spec) ? (Object.keys(spec).find((member) => member !== 'policies') ?? '') : '';
}

function targetsOf(object: ShownObject): string {
  const refs = listOf(at(object, 'spec', 'targetRefs')).filter(isFields);
  const selectors = listOf(at(object, 'spec', 'targetSelectors')).filter(isFields);
  return [
    ...refs.map((ref) => `${text(ref['kind'])}/${text(ref['name'])}`),
    ...selectors.map((selector) => `${text(selector['kind'])} by labels`),
  ].join(',');
}

function listenersOf(listeners: unknown): string {
  return listOf(listeners)
    .filter(isFields)
    .map(({ name, port }) => `${text(name)}:${text(port)}`)
    .join(',');
}

function portsOf(ports: unknown): string {
  return listOf(ports)
    .filter(isFields)
    .map(({ port, protocol }) => `${text(port)}/${text(protocol) || 'TCP'}`)
    .join(',');
}

function numbersOf(ports: unknown): string {
  return joinTexts(
    listOf(ports)
      .filter(isFields)
      .map(({ number: port }) => port),
  );
}

function addressesOf(endpoint: unknown): readonly unknown[] {
  return isFields(endpoint) ? listOf(endpoint['addresses']) : [];
}

function at(object: Fields, section: string, member: string): unknown {
  const inner = object[section];
  return isFields(inner) ? inner[member] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function joinTexts(value: unknown): string {
  return listOf(value).map(text).join(',');
}

function sizeOf(value: unknown): number {
  return isFields(value) ? Object.keys(value).length : 0;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
