import { z } from 'zod';
import { type Fields, rule } from '../../../groups.ts';
import { described, noted } from '../../../notes.ts';
import { secretKeyRef } from '../../../references.ts';
import { signingAlgorithm } from './signing-algorithm.ts';

/** Signs an assertion with a key; the certificate goes along when asked for (ADMIT-145 to ADMIT-147). */
const privateKeyJwt = rule(
  rule(
    noted(
      described(
        z.strictObject({
          signingKeyRef: secretKeyRef('signingKey'),
          certificateRef: secretKeyRef('certificate').exactOptional(),
          certificateHeader: noted(z.enum(['x5c', 'x5t#S256']), { clause: 'ADMIT-172' }).exactOptional(),
          alg: signingAlgorithm.exactOptional(),
          kid: z.string().exactOptional(),
          assertionAudience: noted(z.string().min(1), { clause: 'ADMIT-147' }),
        }),
        {
          signingKeyRef: 'Secret with the key that signs the assertion.',
          certificateRef: 'Secret with the certificate; with certificateHeader.',
          certificateHeader: 'Header that names the certificate; with certificateRef.',
          alg: 'Algorithm of the signature.',
          kid: 'Key id in the header of the assertion.',
          assertionAudience: 'Audience of the assertion.',
        },
      ),
      { requires: 'ADMIT-147' },
    ),
    'ADMIT-145',
    (jwt) => jwt['certificateHeader'] === undefined || jwt['certificateRef'] !== undefined,
    'certificateHeader needs certificateRef',
    '!has(self.certificateHeader) || has(self.certificateRef)',
  ),
  'ADMIT-146',
  (jwt) => jwt['certificateRef'] === undefined || jwt['certificateHeader'] !== undefined,
  'certificateRef needs certificateHeader',
  '!has(self.certificateRef) || has(self.certificateHeader)',
);

const methodOf = (auth: Fields): unknown => auth['method'] ?? 'ClientSecretBasic';

/** How the proxy names itself to a token endpoint (ADMIT-142 to ADMIT-144, OAUTH-017, OAUTH-020). */
export const oauthClientAuth = rule(
  rule(
    rule(
      noted(
        described(
          z.strictObject({
            clientId: noted(z.string().min(1), { clause: 'ADMIT-142' }),
            secretRef: secretKeyRef('clientSecret').exactOptional(),
            privateKeyJwt: privateKeyJwt.exactOptional(),
            method: noted(z.enum(['ClientSecretBasic', 'ClientSecretPost', 'PrivateKeyJwt']), {
              default: 'ClientSecretBasic',
              clause: 'ADMIT-171',
            }).exactOptional(),
          }),
          {
            clientId: 'Id of the client.',
            secretRef: 'Secret with the client secret.',
            privateKeyJwt: 'Key and audience; for method PrivateKeyJwt.',
            method: 'How the client proves who it is.',
          },
        ),
        { requires: 'ADMIT-142' },
      ),
      'ADMIT-143',
      (auth) => methodOf(auth) !== 'ClientSecretBasic' || auth['secretRef'] !== undefined,
      'secretRef may be left out only with method ClientSecretPost or PrivateKeyJwt',
      "has(self.secretRef) || (has(self.method) && self.method != 'ClientSecretBasic')",
    ),
    'ADMIT-144',
    (auth) => methodOf(auth) !== 'PrivateKeyJwt' || auth['privateKeyJwt'] !== undefined,
    'method PrivateKeyJwt needs privateKeyJwt',
    "!has(self.method) || self.method != 'PrivateKeyJwt' || has(self.privateKeyJwt)",
  ),
  'VERSION-008',
  (auth) => methodOf(auth) === 'PrivateKeyJwt' || auth['privateKeyJwt'] === undefined,
  'privateKeyJwt is for method PrivateKeyJwt only',
  "!has(self.privateKeyJwt) || (has(self.method) && self.method == 'PrivateKeyJwt')",
);

export type OAuthClientAuth = z.infer<typeof oauthClientAuth>;
