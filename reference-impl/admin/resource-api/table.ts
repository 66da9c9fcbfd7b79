import type { KindName } from '../../resources/kinds.ts';
import type { ApiCall } from './call.ts';
import { ageText } from './age-text.ts';
import { COLUMNS, type Column } from './columns.ts';
import type { ShownObject } from './shown-object.ts';

/** The table clients print: `rows` as `rowsFor` makes them. */
export function tableOf(kind: KindName, rows: readonly object[], metadata: object): object {
  const columnDefinitions = columnsOf(kind).map(({ name, type, description, wide }, index) => ({
    name,
    type: type ?? 'string',
    format: index === 0 ? 'name' : '',
    description,
    priority: wide === true ? 1 : 0,
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}

/** One row for each object; what of the object goes with it is the client's wish. */
export function rowsFor(kind: KindName, objects: readonly ShownObject[], { query, context }: ApiCall): object[] {
  const now = context.clock.wall();
  const include = query.get('includeObject') ?? 'Metadata';
  return objects.map((object) => ({
    cells: columnsOf(kind).map(({ cell }) => cell(object, now)),
    ...(include === 'None' ? {} : { object: include === 'Object' ? object : partial(object) }),
  }));
}

function partial({ metadata }: ShownObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

function columnsOf(kind: KindName): readonly Column[] {
  return [NAME, ...(COLUMNS[kind] ?? []), AGE];
}

const NAME: Column = { name: 'Name', description: 'Name of the object', cell: ({ metadata }) => metadata.name };
const AGE: Column = {
  name: 'Age',
  description: 'Time since the object was created',
  cell: ageText,
};
