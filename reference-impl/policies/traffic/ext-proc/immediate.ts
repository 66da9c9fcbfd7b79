import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import { refusal } from '../../../exchange/refusal.ts';
import type { ImmediateResponse } from '../../../upstream/wire/ext_proc_pb.js';
import { answerEditor } from '../../edit-headers.ts';
import { mutateFields } from './mutations.ts';

/** The answer the processor gave to the client; 200 when it named no status. */
export function immediateAnswer({ status, headers, body }: ImmediateResponse): Answer {
  const code = status === undefined || status.code === 0 ? 200 : status.code;
  if (code < 200 || code > 599) return refusal('extProcFailed', `immediate response with status ${code}`);
  const bare: Answer = { status: code, headers: HeaderMap.EMPTY, body: bytesBody(body), from: 'policy' };
  return mutateFields(bare, answerEditor, headers);
}
