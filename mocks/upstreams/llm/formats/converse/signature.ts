import type { ValuesByName } from '../../../../values-by-name.ts';
import { isSignature, signatureProblem } from '../../../../cloud-a-signature.ts';
import type { HttpRequest } from '../../../../http-exchange.ts';
import type { LlmScript } from '../../script.ts';
import type { Problem } from '../format.ts';

/** Cloud A takes no request without a signature; whose it is, `scriptedSignatureProblem` says. */
export function signatureFormProblem(headers: ValuesByName, key: string | undefined): Problem | undefined {
  if (key === undefined) return undefined;
  const { authorization } = headers;
  if (typeof authorization === 'string' && isSignature(authorization)) return undefined;
  return { status: 403, message: 'Missing Authentication Token' };
}

/** Why a request has not the signature that its script wants. */
export async function scriptedSignatureProblem(
  request: HttpRequest,
  { region = 'us-east-1', service = 'bedrock', ...keys }: NonNullable<LlmScript['signed']>,
): Promise<Problem | undefined> {
  const message = await signatureProblem(request, { ...keys, region, service });
  return message === undefined ? undefined : { status: 403, message };
}
