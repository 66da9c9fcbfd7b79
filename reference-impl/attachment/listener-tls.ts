import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import { namespaceOf } from '../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../resources/gateway-api/gateway-api.ts';
import type { FrontendValidation } from '../resources/gateway-api/frontend-validation.ts';
import type { ObjectReference } from '../resources/references.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { isPermitted } from './backends/reference-grants.ts';
import type { GatewayListener } from './listeners.ts';

/** What a listener shows to clients that speak TLS, and whom it believes. docs/decisions/frontend-tls.md */
export interface ListenerTls {
  /** Certificate chains and their keys in PEM, in the order in which the listener names them. */
  readonly identities: readonly Identity[];
  /** Whose certificates clients have to show; undefined where they are not asked for one. */
  readonly clients: ClientValidation | undefined;
  /** Why it cannot be served as it is written. */
  readonly problems: readonly ReferenceProblem[];
}

export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface ClientValidation {
  /** PEM; empty when none of the references leads to one, and then nobody can be believed. */
  readonly authorities: string;
  /** Clients without a certificate, or with one that nobody vouches for, are served all the same. */
  readonly optional: boolean;
}

/** A reference that leads nowhere. */
export interface ReferenceProblem {
  readonly reason: 'InvalidCertificateRef' | 'InvalidCACertificateRef' | 'InvalidCACertificateKind' | 'RefNotPermitted';
  readonly message: string;
}

/** The TLS of an HTTPS listener; undefined for one of plain HTTP. */
export function listenerTls(listener: GatewayListener, snapshot: Snapshot): ListenerTls | undefined {
  const { spec } = listener;
  if (spec.protocol !== 'HTTPS') return undefined;
  const references = spec.tls?.certificateRefs ?? [];
  const identities = references.map((ref) => identityOf(ref, listener, snapshot));
  const validation = validationOf(listener);
  const authorities = (validation?.caCertificateRefs ?? []).map((ref) => authorityOf(ref, listener, snapshot));
  const unset: ReferenceProblem = { reason: 'InvalidCertificateRef', message: 'the listener names no certificate' };
  return {
    identities: identities.filter((one) => 'certificate' in one),
    clients: validation?.caCertificateRefs && {
      authorities: authorities.filter((one) => typeof one === 'string').join('\n'),
      optional: validation.mode === 'AllowInsecureFallback',
    },
    problems: [
      ...(references.length === 0 ? [unset] : []),
      ...[...identities, ...authorities].filter((one) => typeof one === 'object').filter((one) => 'reason' in one),
    ],
  };
}

/** Whom the listener believes about clients, or else the Gateway for its port, or for all of them. */
function validationOf({ gateway, spec }: GatewayListener): FrontendValidation | undefined {
  const { default: usual, perPort = [] } = gateway.spec.tls?.frontend ?? {};
  const ofPort = perPort.find(({ port }) => port === spec.port)?.tls;
  return spec.tls?.frontendValidation ?? (ofPort ?? usual)?.validation;
}

function identityOf(ref: ObjectReference, listener: GatewayListener, snapshot: Snapshot): Identity | ReferenceProblem {
  const text = textsOf(ref, 'Secret', listener, snapshot, unusable);
  if (typeof text !== 'function') return text;
  const [certificate, key] = [text('tls.crt'), text('tls.key')];
  if (certificate === undefined || key === undefined || !isCertificate(certificate))
    return unusable(`Secret ${ref.name} has no tls.crt with a certificate and tls.key`);
  return { certificate, key };
}

function authorityOf(ref: ObjectReference, listener: GatewayListener, snapshot: Snapshot): string | ReferenceProblem {
  const { group = '', kind = 'ConfigMap' } = ref;
  if (group !== '' || kind !== 'ConfigMap')
    return {
      reason: 'InvalidCACertificateKind',
      message: `authorities come from a ConfigMap, not from ${kind} ${ref.name}`,
    };
  const text = textsOf(ref, 'ConfigMap', listener, snapshot, unusableAuthority);
  if (typeof text !== 'function') return text;
  const pem = text('ca.crt');
  return pem !== undefined && isCertificate(pem)
    ? pem
    : unusableAuthority(`ConfigMap ${ref.name} has no ca.crt with a certificate`);
}

/** The texts of the object that is referred to, by key. */
function textsOf(
  { group = '', kind: given, name, namespace: named }: ObjectReference,
  usual: 'Secret' | 'ConfigMap',
  { gateway, listenerSet }: GatewayListener,
  snapshot: Snapshot,
  missing: (message: string) => ReferenceProblem,
): ((key: string) => string | undefined) | ReferenceProblem {
  const owner = listenerSet ?? gateway;
  const own = namespaceOf(owner);
  const [kind, namespace] = [given ?? usual, named ?? own];
  const from = { group: GATEWAY_API_GROUP, kind: owner.kind, namespace: own };
  if (!isPermitted(snapshot.byKind('ReferenceGrant'), from, { group, kind, namespace, name })) {
    const message = `reference to ${kind} ${namespace}/${name} is not permitted, missing a ReferenceGrant?`;
    return { reason: 'RefNotPermitted', message };
  }
  const object = group === '' && kind === usual ? snapshot.get(usual, namespace, name) : undefined;
  if (object === undefined) return missing(`there is no ${kind} ${namespace}/${name} to take a certificate from`);
  if (object.kind === 'ConfigMap') return (key) => object.data?.[key];
  return (key) => object.stringData?.[key] ?? decode(object.data?.[key]);
}

function decode(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString();
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function unusable(message: string): ReferenceProblem {
  return { reason: 'InvalidCertificateRef', message };
}

function unusableAuthority(message: string): ReferenceProblem {
  return { reason: 'InvalidCACertificateRef', message };
}
