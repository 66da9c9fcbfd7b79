import { answerJson, type AdminContext, type AdminRequest } from './endpoint.ts';

/** The status of every resource that has one: `{generation, resources: [{kind, namespace, name, status}]}`. */
export function status({ response }: AdminRequest, { view }: AdminContext): void {
  const current = view();
  answerJson(response, { generation: current.generation, resources: current.status() });
}
