import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ConcreteCase, TopologyRule } from '../case/concrete-case.ts';
import { makeFolder } from '../values/make-folder.ts';
import { yamlText } from '../values/yaml-text.ts';

/**
 * Writes a counterexample of a property as a case of its own, so that it runs for ever. The name comes from its content: the
 * same counterexample is one file. Returns its path.
 */
export async function writeRegression(example: ConcreteCase, folder: string): Promise<string> {
  const { baseId, layer, config, steps, expect, clauses, needs, peers, kills } = example;
  const digest = createHash('sha256')
    .update(JSON.stringify([config, layer, steps.map(({ input }) => input)]))
    .digest('hex')
    .slice(0, 8);
  const suite = `regress.${baseId.replaceAll('.', '-')}`;
  const asks = steps.every(({ kind }) => kind === 'op');
  const file = {
    suite,
    cases: [
      {
        id: `${suite}.${digest}`,
        title: `A counterexample that ${baseId} found`,
        clauses,
        ...(asks ? { layer: 'op', vantage: [layer] } : {}),
        needs,
        peers,
        topology: topologyOf(example),
        config,
        steps: steps.map(({ id, kind, input, expect: wanted, capture }) => ({
          id,
          [kind]: input,
          expect: wanted,
          capture,
        })),
        ...(Object.keys(expect).length === 0 ? {} : { expect }),
        kills,
      },
    ],
  };
  await makeFolder(folder);
  const target = path.join(folder, `${digest}.yaml`);
  const schema = '# yaml-language-server: $schema=../../../schemas/case.schema.json\n';
  const note = '# Found by random search and shrunk. Keep it: it guards against the same mistake.\n';
  await writeFile(target, `${schema}${note}${yamlText(file)}`);
  return target;
}

/** The topology as a case writes it. Hosts and ports are left to the defaults, which are what the property had. */
function topologyOf({ topology }: ConcreteCase): unknown {
  return { routes: topology.routes.map(({ name, rules }) => ({ name, rules: rules.map(ruleOf) })) };
}

function ruleOf({ to, ...rule }: TopologyRule): unknown {
  return { ...rule, to: to.map(({ kind, name }) => (kind === 'peer' ? name : { [kind]: name })) };
}
