import { randomUUID } from 'node:crypto';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { createLaneChooser } from '../lanes.ts';
import { doubtAbout, proofOf } from './client.ts';
import type { Desk } from './client.ts';
import { editDocument, oauthError, replyWith } from './document.ts';
import { GRANTS } from './grants.ts';
import type { Granted, Trust } from './grants.ts';
import { mintToken } from './mint-token.ts';
import type { Signer } from './mint-token.ts';
import type { TokenAnswerScript, TokenLanesScript, TokenScript } from './script.ts';
import { flawOfForm, readTokenRequest } from './token-request.ts';
import { ID_JAG, ID_JAG_HEADER } from './token-types.ts';

const LIFETIME_SECONDS = 300;

/** What the token endpoint needs to know. */
export interface TokenDesk extends Desk, Trust {
  readonly signer: Signer;
}

/**
 * Answers questions for tokens by RFC 6749, 7521, 7523 and 8693. A question that breaks one of them is refused whatever
 * the script says, and uses up no answer of it.
 */
export function tokenEndpoint(
  script: TokenScript | undefined,
  desk: TokenDesk,
): (request: HttpRequest) => Promise<HttpReply> {
  const choose = createLaneChooser<TokenMatch, TokenAnswerScript, URLSearchParams>(lanesOf(script), { matches });
  return async (request) => {
    const flaw = flawOfForm(request);
    if (flaw !== undefined) return flaw;
    const asked = readTokenRequest(request);
    const proof = proofOf(asked);
    if (!('method' in proof)) return proof;
    const doubt = await doubtAbout(proof, desk);
    if (doubt !== undefined) return doubt;
    const grant = GRANTS[asked.form.get('grant_type') ?? ''];
    if (grant === undefined) return oauthError(400, 'unsupported_grant_type', 'no such grant');
    const granted = await grant(asked.form, proof, desk);
    return 'claims' in granted ? issueToken(granted, asked.form, choose(asked.form), desk.signer) : granted;
  };
}

type TokenMatch = NonNullable<TokenLanesScript['on']>[number]['match'];

/** One answer for all, a list of answers, or lanes. */
function lanesOf(script: TokenScript = {}): TokenLanesScript {
  if (Array.isArray(script)) return { replies: script };
  return isLanes(script) ? script : { reply: script };
}

function isLanes(script: TokenAnswerScript | TokenLanesScript): script is TokenLanesScript {
  return ['on', 'replies', 'reply'].some((name) => Object.hasOwn(script, name));
}

function matches(match: TokenMatch, form: URLSearchParams): boolean {
  return Object.entries(match).every(([name, value]) => form.getAll(name).includes(value));
}

/** RFC 6749, section 5.1, and RFC 8693, section 2.2.1 */
async function issueToken(
  { claims: granted, issuedType }: Granted,
  form: URLSearchParams,
  script: Partial<TokenAnswerScript>,
  signer: Signer,
): Promise<HttpReply> {
  const expiresIn = script.expiresIn ?? LIFETIME_SECONDS;
  const scope = form.get('scope');
  const claims = { ...granted, exp: `now+${expiresIn}s`, jti: randomUUID(), ...script.claims };
  const header = issuedType === ID_JAG ? { typ: ID_JAG_HEADER } : {};
  const document = {
    access_token: await mintToken({ claims, header }, signer),
    token_type: issuedType === ID_JAG ? 'N_A' : 'Bearer',
    expires_in: expiresIn,
    ...(scope === null ? {} : { scope }),
    ...(issuedType === undefined ? {} : { issued_token_type: issuedType }),
  };
  const headers = { 'cache-control': 'no-store', ...script.headers };
  return replyWith(JSON.stringify(editDocument(document, script)), { ...script, headers });
}
