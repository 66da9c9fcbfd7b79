import { Buffer } from 'node:buffer';
import type { VariableSource } from '../../cel/program.ts';
import { requestVariables } from '../../exchange/request-state.ts';
import { isJson } from '../json.ts';
import type { Asked } from './asked.ts';
import { writeMessage } from './message.ts';

/** What expressions about a message can name: the body of the request has been read, so they may look at it. */
export function messageVariables({ exchange, message }: Asked): VariableSource {
  const known = requestVariables(exchange);
  return (root) => {
    const value = known(root);
    if (root !== 'request' || !isJson(value) || message === undefined) return value;
    const body = Buffer.from(writeMessage(message));
    return { ...value, body, bodyPrefix: body };
  };
}
