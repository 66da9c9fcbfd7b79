import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pem {
  readonly certificate: string;
  readonly key: string;
}

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.log('tests with certificates are skipped: there is no openssl here to make them');

/** A certificate signed by itself, or by `authority`, made with openssl. `names` as openssl writes them: `DNS:a.test`. */
export function makeCertificate(
  commonName: string,
  { names, rsa = false, authority }: { names?: readonly string[]; rsa?: boolean; authority?: Pem } = {},
): Pem {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const at = (name: string): string => join(folder, name);
    const kind = rsa ? ['-newkey', 'rsa:2048'] : ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const files = ['-keyout', at('key'), '-out', at('cert'), '-subj', `/CN=${commonName}`, '-days', '2', '-nodes'];
    const alternative = names === undefined ? [] : ['-addext', `subjectAltName=${names.join(',')}`];
    if (authority !== undefined) {
      writeFileSync(at('ca'), authority.certificate);
      writeFileSync(at('ca.key'), authority.key);
    }
    const signer = authority === undefined ? [] : ['-CA', at('ca'), '-CAkey', at('ca.key')];
    execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...alternative, ...signer], { stdio: 'ignore' });
    return { certificate: readFileSync(at('cert'), 'utf8'), key: readFileSync(at('key'), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The Secret that a listener refers to. */
export function certificateSecret(name: string, { certificate, key }: Pem): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  };
}
