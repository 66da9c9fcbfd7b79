/** One parameter of a question to a token endpoint. */
export type Parameter = readonly [name: string, value: string];

/** A token of the client with the URI of its type. */
export interface TypedToken {
  readonly token: string;
  readonly type: string;
}

/** What a token is asked for. */
export interface Wishes {
  readonly audiences?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
}

export interface Exchange {
  readonly subject: TypedToken;
  readonly actor?: TypedToken | undefined;
  /** A URI. */
  readonly requestedType?: string | undefined;
}

/** OAUTH-003: a token in exchange for another (RFC 8693, section 2.1). */
export function tokenExchangeGrant({ subject, actor, requestedType }: Exchange, wishes: Wishes): readonly Parameter[] {
  return [
    ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    ['subject_token', subject.token],
    ['subject_token_type', subject.type],
    // OAUTH-009
    ...(actor === undefined ? [] : [parameter('actor_token', actor.token), parameter('actor_token_type', actor.type)]),
    // OAUTH-011
    ...(requestedType === undefined ? [] : [parameter('requested_token_type', requestedType)]),
    ...wishParameters(wishes),
  ];
}

/** OAUTH-004: a token for an assertion (RFC 7523, section 2.1), which speaks for itself: no type, and no actor (OAUTH-036). */
export function jwtBearerGrant(assertion: string, wishes: Wishes): readonly Parameter[] {
  return [
    ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    ['assertion', assertion],
    ...wishParameters(wishes),
  ];
}

/** OAUTH-010: audience and resource once for each value, scopes in one text. */
function wishParameters({ audiences = [], scopes = [], resources = [] }: Wishes): readonly Parameter[] {
  return [
    ...audiences.map((audience) => parameter('audience', audience)),
    ...(scopes.length === 0 ? [] : [parameter('scope', scopes.join(' '))]),
    ...resources.map((resource) => parameter('resource', resource)),
  ];
}

function parameter(name: string, value: string): Parameter {
  return [name, value];
}
