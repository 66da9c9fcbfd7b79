import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ConcreteCase } from '../case/concrete-case.ts';
import { yamlText } from '../values/yaml-text.ts';

/**
 * Writes a counterexample of a property as a case of its own, so that it runs for ever. The name comes from its content: the
 * same counterexample is one file. Returns its path.
 */
export async function writeRegression(
  property: ConcreteCase,
  drawn: ConcreteCase,
  { window, folder }: { readonly window: 'op' | 'trace'; readonly folder: string },
): Promise<string> {
  const digest = createHash('sha256')
    .update(JSON.stringify([drawn.config, window]))
    .digest('hex')
    .slice(0, 8);
  const suite = `regress.${property.baseId.replaceAll('.', '-')}`;
  const file = {
    suite,
    cases: [
      {
        id: `${suite}.${digest}`,
        title: `A counterexample that ${property.baseId} found`,
        clauses: property.clauses,
        layer: 'op',
        needs: property.needs,
        vantage: [window],
        peers: property.peers,
        topology: topologyOf(property),
        config: drawn.config,
        steps: drawn.steps.map(({ id, input, expect }) => ({ id, op: input, expect })),
        kills: property.kills,
      },
    ],
  };
  await mkdir(folder, { recursive: true });
  const target = path.join(folder, `${digest}.yaml`);
  const schema = '# yaml-language-server: $schema=../../../schemas/case.schema.json\n';
  const note = '# Found by random search and shrunk. Keep it: it guards against the same mistake.\n';
  await writeFile(target, `${schema}${note}${yamlText(file)}`);
  return target;
}

/** The topology as a case writes it. Hosts and ports are left to the defaults, which are what the property had. */
function topologyOf({ topology }: ConcreteCase): unknown {
  return {
    routes: topology.routes.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ({ name: rule.name, path: rule.path, to: rule.to.map((target) => target.name) })),
    })),
  };
}
