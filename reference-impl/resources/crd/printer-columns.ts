/** What `kubectl get` prints of each kind beside its name and age. */
export const PRINTER_COLUMNS = {
  ProxyBackend: [conditionColumn('Accepted', '.status.conditions')],
  ProxyModel: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Visibility', type: 'string', jsonPath: '.spec.visibility' },
    conditionColumn('Accepted', '.status.parents[*].conditions'),
  ],
  ProxyParameters: [{ name: 'Workload', type: 'string', jsonPath: '.spec.workload.kind' }],
  ProxyPolicy: [
    conditionColumn('Accepted', '.status.ancestors[*].conditions'),
    conditionColumn('Attached', '.status.ancestors[*].conditions'),
  ],
} as const;

interface Column {
  readonly name: string;
  readonly type: 'string';
  readonly jsonPath: string;
}

/** The status of one condition type. */
function conditionColumn(type: string, list: string): Column {
  return { name: type, type: 'string', jsonPath: `${list}[?(@.type=='${type}')].status` };
}
