// `npm run hostile`: hostile requests and hostile answers through the reference, and beside it through nginx where it is installed.
// Prints what the reference does otherwise than the RFC allows, and where the two differ. `--json` prints one object.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startNginx, startReference, type Contender } from './contenders.ts';
import { readCorpus, type Input, type Outcome } from './corpus.ts';
import { judgeAnswer, judgeRequest } from './judge.ts';
import { startUpstreams, type Upstreams } from './upstreams.ts';

const { values: flags } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } });

const folder = mkdtempSync(path.join(tmpdir(), 'hostile-'));
const wanted = ({ name }: Input): boolean => flags.only === undefined || name.startsWith(flags.only);
const requests = readCorpus('requests').filter(wanted);
const answers = readCorpus('answers').filter(wanted);

/** What one contender did, by the name of the input. */
type Outcomes = ReadonlyMap<string, Outcome>;

const running: { stop: () => void }[] = [];
try {
  // Each has upstreams of its own: what arrives there came through it.
  const [reference, nginx] = await Promise.all([drive(startReference), drive(startNginx)]);
  if (reference === undefined) throw new Error('the reference does not start');
  report(reference, nginx);
} finally {
  for (const one of running) one.stop();
  rmSync(folder, { recursive: true, force: true });
}

interface Driven {
  readonly outcomes: Outcomes;
  readonly survived: boolean;
}

async function drive(
  start: (folder: string, upstreams: Upstreams) => Promise<Contender | undefined>,
): Promise<Driven | undefined> {
  const upstreams = await startUpstreams(answers);
  running.push(upstreams);
  const contender = await start(folder, upstreams);
  if (contender === undefined) return undefined;
  running.push(contender);
  const outcomes = new Map<string, Outcome>();
  for (const input of requests) outcomes.set(input.name, await judgeRequest(input, contender, upstreams));
  for (const input of answers) outcomes.set(input.name, await judgeAnswer(input, contender));
  return { outcomes, survived: !contender.ended() };
}

function report(reference: Driven, nginx: Driven | undefined): void {
  const inputs = [...requests, ...answers];
  const unexpected = inputs.flatMap(({ name, section, expect }) => {
    const outcome = reference.outcomes.get(name) ?? 'refused';
    return expect.some((one) => one === outcome) ? [] : [{ name, section, expect, outcome }];
  });
  const differences = inputs.flatMap(({ name, section }) => {
    const [ours, theirs] = [reference.outcomes.get(name), nginx?.outcomes.get(name)];
    return theirs === undefined || ours === theirs ? [] : [{ name, section, reference: ours, nginx: theirs }];
  });
  const count = unexpected.length + (reference.survived ? 0 : 1);
  process.exitCode = count === 0 ? 0 : 1;
  if (flags.json === true) {
    const beside = nginx === undefined ? null : 'nginx';
    const { survived } = reference;
    console.log(
      JSON.stringify({
        inputs: inputs.length,
        unexpected: count,
        survived,
        beside,
        differences: differences.length,
        details: { unexpected, differences },
      }),
    );
    return;
  }
  for (const { name, section, reference: ours, nginx: theirs } of differences)
    console.log(`differs    ${name} (${section}): reference ${ours}, nginx ${theirs}`);
  for (const { name, section, expect, outcome } of unexpected)
    console.log(`UNEXPECTED ${name} (${section}): ${outcome}, allowed: ${expect.join(', ')}`);
  if (!reference.survived) console.log('UNEXPECTED the reference ended');
  const beside = nginx === undefined ? 'nginx is not installed' : `${differences.length} otherwise than nginx`;
  console.log(`hostile: ${inputs.length} inputs, ${count} unexpected, ${beside}`);
}
