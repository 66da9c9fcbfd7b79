import { Buffer } from 'node:buffer';
import type { ModelsView } from '../../../attachment/view.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { VariableSource } from '../../../cel/program.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import { mayUse } from './may-use.ts';

/**
 * MODEL-012, MODEL-013: the models that clients can ask for, those with a provider first. A client is not told of models
 * it may not use.
 */
export function discovery({ concrete, virtual }: ModelsView, variables: VariableSource): Answer {
  const known = [...concrete.filter((model) => model.isPublic && mayUse(model, variables)), ...virtual];
  const data = known.map(({ offered, created }) => ({ id: offered, object: 'model', created, owned_by: 'openai' }));
  return {
    status: 200,
    headers: HeaderMap.of([['content-type', 'application/json']]),
    body: bytesBody(Buffer.from(JSON.stringify({ data, object: 'list' }))),
    from: 'policy',
  };
}
