// The definitions of the Gateway API, from its Go module, in the version that docs/tools/real-api-server/go.mod names.
import path from 'node:path';
import { run } from './verdicts.ts';

const FOLDER = 'docs/tools/real-api-server';
const MODULE = 'sigs.k8s.io/gateway-api';

/** The folder of the experimental channel, which has all that the cases hand over. Throws where Go cannot fetch the module. */
export function gatewayDefinitions(): string {
  // No build needs its sources, so that nothing else has fetched them where Go's cache is new.
  run('go', ['-C', FOLDER, 'mod', 'download', MODULE]);
  return path.join(run('go', ['-C', FOLDER, 'list', '-m', '-f', '{{.Dir}}', MODULE]).trim(), 'config/crd/experimental');
}
