import { isList, isObject, type JsonObject } from '../../values/json.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Finding } from './rule.ts';

/**
 * What a case wants accepted is beyond doubt: an implementation may be stricter than the documents where it knows the thing that is named.
 * Only what is judged is looked at.
 */
export function samplesAreBeyondDoubt(given: ConcreteCase): readonly Finding[] {
  if (given.level !== 'must') return [];
  const found = acceptedIn(given).flatMap((resource) => doubtsBelow(resource, ''));
  return [...new Set(found)].map((message) => ({ at: [...given.at, 'id'], message: `sample: ${message}` }));
}

/** The configuration, unless it is to be refused, and what `validate` is to accept. */
function acceptedIn({ config, steps, expect }: ConcreteCase): readonly unknown[] {
  const asked = steps.flatMap(({ input, expect: wanted }) => {
    const validate = isObject(input) ? input['validate'] : undefined;
    const result = isObject(wanted) && isObject(wanted['result']) ? wanted['result'] : {};
    return isObject(validate) && result['accepted'] === true ? [validate['resource']] : [];
  });
  return expect.config === undefined || expect.config === 'accepted' ? [...config, ...asked] : asked;
}

function doubtsBelow(value: unknown, name: string): readonly string[] {
  if (typeof value === 'string') return isDoubtfulArn(value) ? [`${value} is no ARN of a role or resource`] : [];
  if (isList(value)) return value.flatMap((item) => doubtsBelow(item, name));
  if (!isObject(value)) return [];
  return [
    ...DOUBTS.flatMap(({ doubts, message }) => (doubts(value, name) ? [message] : [])),
    ...Object.entries(value).flatMap(([member, item]) => doubtsBelow(item, member)),
  ];
}

interface Doubt {
  readonly message: string;
  readonly doubts: (value: JsonObject, name: string) => boolean;
}

const DOUBTS: readonly Doubt[] = [
  {
    message: 'an empty block of settings; set the least harmful member',
    doubts: (value, name) => SETTINGS.has(name) && Object.keys(value).length === 0,
  },
  {
    message: 'a host of a provider without port',
    doubts: (value) => isProvider(value) && hasOnly(value, 'host', 'port'),
  },
  {
    message: 'a port or pathPrefix of a provider without host',
    doubts: (value) => isProvider(value) && (hasOnly(value, 'port', 'host') || hasOnly(value, 'pathPrefix', 'host')),
  },
  {
    message: 'a secretRef beside the method PrivateKeyJwt',
    doubts: ({ method, secretRef }) => method === 'PrivateKeyJwt' && secretRef !== undefined,
  },
  {
    message: 'a secretRef beside assumeRole, which takes the credentials that are there',
    doubts: (value, name) => name === 'cloudA' && value['secretRef'] !== undefined && value['assumeRole'] !== undefined,
  },
  {
    message: 'promptGuard without a guard',
    doubts: (value, name) =>
      name === 'promptGuard' && value['request'] === undefined && value['response'] === undefined,
  },
  {
    message: 'authorities for an insecureSkipVerify of All',
    doubts: ({ insecureSkipVerify, caCertificateRefs }) =>
      insecureSkipVerify === 'All' && caCertificateRefs !== undefined,
  },
  {
    message: 'one format twice',
    doubts: ({ formats }) => {
      const types = isList(formats) ? formats.filter(isObject).map(({ type }) => type) : [];
      return new Set(types).size < types.length;
    },
  },
  {
    message: 'an http2FrameSize HTTP/2 does not allow (16,384 to 16,777,215)',
    doubts: ({ http2FrameSize: size }) => {
      const bytes = typeof size === 'string' && /^\d+Ki$/.test(size) ? Number.parseInt(size, 10) * 1024 : Number(size);
      return size !== undefined && Number.isInteger(bytes) && (bytes < 16_384 || bytes > 16_777_215);
    },
  },
];

const SETTINGS: ReadonlySet<string> = new Set(['http', 'tcp', 'frontend', 'traffic', 'backend', 'policies']);
const VARIANTS: readonly string[] = [
  'vendor1',
  'vendor2',
  'vendor3',
  'vendor4',
  'vendor5',
  'vendor6',
  'vendor7',
  'custom',
];

function isProvider(value: JsonObject): boolean {
  // `peer` stands for a host and its port.
  return (
    VARIANTS.some((variant) => isObject(value[variant])) &&
    value['parentRefs'] === undefined &&
    value['peer'] === undefined
  );
}

function hasOnly(value: JsonObject, member: string, other: string): boolean {
  return value[member] !== undefined && value[other] === undefined;
}

/** An account has 12 digits; some services have none in their names. */
function isDoubtfulArn(text: string): boolean {
  return text.startsWith('arn:') && !/^arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(\d{12})?:.+/.test(text);
}
