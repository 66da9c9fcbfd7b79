import { isDeepStrictEqual } from 'node:util';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { isolationOf } from '../case/isolation.ts';
import { isObject, type JsonObject } from '../values/json.ts';
import type { Way } from './ablated-case.ts';
import { fieldDefault, isFieldOfTheKind } from './spec-field.ts';
import { fieldName, fieldsOf, isMap, valuesOf, type Field } from './fields.ts';
import { falsify, OPERATOR_NAMES, type OperatorName } from './operators.ts';

/** What one case delivers to an implementation. */
export interface Delivery {
  readonly fields: Map<string, Field>;
  /** Names of fields that have a default and are given another value. */
  readonly beyondDefault: Set<string>;
  /** By name, the operators that change some value of the field. */
  readonly falsifiable: Map<string, Set<OperatorName>>;
}

/** One field ablated in one way, while it is studied. */
export interface Study {
  readonly name: string;
  readonly field: Field;
  readonly way: Way;
  readonly users: readonly ConcreteCase[];
  /** Users that have not run with it ablated, the likeliest to notice first. */
  readonly waiting: ConcreteCase[];
  readonly noticed: Set<string>;
}

export function newDelivery(): Delivery {
  return { fields: new Map(), beyondDefault: new Set(), falsifiable: new Map() };
}

/** Adds what a resource sets. */
export function recordDelivery({ fields, beyondDefault, falsifiable }: Delivery, resource: JsonObject): void {
  for (const field of fieldsOf(resource)) {
    const name = fieldName(field);
    fields.set(name, field);
    if (!beyondDefault.has(name) && differsFromDefault(resource, field)) beyondDefault.add(name);
    falsifiable.set(name, new Set([...(falsifiable.get(name) ?? []), ...operatorsOf(resource, field)]));
  }
}

/** An object that is no map has fields, each of which is falsified on its own. */
function operatorsOf(resource: JsonObject, field: Field): readonly OperatorName[] {
  const values = valuesOf(resource, field).filter((value) => !isObject(value) || isMap(field));
  return OPERATOR_NAMES.filter((operator) => values.some((value) => falsify(value, operator) !== undefined));
}

/** Delivered fields that the document does not give their kind: what a case says of them is that they are refused. */
export function foreignFields(delivered: ReadonlyMap<ConcreteCase, Delivery>): readonly Field[] {
  const all = new Map([...delivered.values()].flatMap(({ fields }) => [...fields]));
  return [...all.values()].filter((field) => !isFieldOfTheKind(field));
}

/** Every delivered field of the document removed, and reset where a case gives it another value than its default; by name. */
export function studiesOf(delivered: Delivered, green: ReadonlySet<ConcreteCase>): readonly Study[] {
  const study = studyOf(delivered, green);
  return ownFields(delivered).flatMap(([name, field]) => {
    const removed = study(name, field, { how: 'removed' }, ({ fields }) => fields.has(name));
    const value = defaultOf(field);
    if (value === undefined) return [removed];
    const reset = study(name, field, { how: 'reset', to: value.value }, ({ beyondDefault }) => beyondDefault.has(name));
    return reset.users.length === 0 ? [removed] : [removed, reset];
  });
}

/** Every delivered field of the document falsified by each operator that changes a value some green case gives it; by name. */
export function operatorStudiesOf(delivered: Delivered, green: ReadonlySet<ConcreteCase>): readonly Study[] {
  const study = studyOf(delivered, green);
  return ownFields(delivered).flatMap(([name, field]) =>
    OPERATOR_NAMES.map((how) =>
      study(name, field, { how }, ({ falsifiable }) => falsifiable.get(name)?.has(how) === true),
    ).filter(({ users }) => users.length > 0),
  );
}

type Delivered = ReadonlyMap<ConcreteCase, Delivery>;

/** The fields that the document gives their kinds, by name. */
function ownFields(delivered: Delivered): readonly (readonly [string, Field])[] {
  const all = new Map([...delivered.values()].flatMap(({ fields }) => [...fields]));
  return [...all].filter(([, field]) => isFieldOfTheKind(field)).toSorted(([one], [other]) => one.localeCompare(other));
}

type MakeStudy = (name: string, field: Field, way: Way, uses: (delivery: Delivery) => boolean) => Study;

function studyOf(delivered: Delivered, green: ReadonlySet<ConcreteCase>): MakeStudy {
  const size = (one: ConcreteCase): number => delivered.get(one)?.fields.size ?? 0;
  return (name, field, way, uses) => {
    const users = [...delivered].flatMap(([one, delivery]) => (green.has(one) && uses(delivery) ? [one] : []));
    const waiting = users.toSorted((one, other) => cost(one, field) - cost(other, field) || size(one) - size(other));
    return { name, field, way, users, waiting, noticed: new Set() };
  };
}

const DEFAULTS = new Map<string, ReturnType<typeof fieldDefault>>();

function defaultOf(field: Field): ReturnType<typeof fieldDefault> {
  const name = fieldName(field);
  if (!DEFAULTS.has(name)) DEFAULTS.set(name, fieldDefault(field));
  return DEFAULTS.get(name);
}

function differsFromDefault(resource: JsonObject, field: Field): boolean {
  const value = defaultOf(field);
  return value !== undefined && valuesOf(resource, field).some((given) => !isDeepStrictEqual(given, value.value));
}

const BY_ISOLATION = { host: 0, exclusive: 3, instance: 6 } as const;

/** Cases that speak of the field are the likeliest to notice; those that run alone are the dearest. */
function cost(one: ConcreteCase, { path }: Field): number {
  const speech = letters(`${one.id} ${one.title}`);
  const name = path.split(/[.[\]]+/).findLast((part) => part !== '') ?? '';
  const speaks = [path, name].findIndex((word) => speech.includes(letters(word)));
  return BY_ISOLATION[isolationOf(one)] + (speaks < 0 ? 2 : speaks);
}

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
