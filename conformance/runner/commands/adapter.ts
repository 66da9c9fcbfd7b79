import type { Command } from 'commander';
import { startAdapterClient, type AdapterClient } from '../sut/adapter-client.ts';
import { probeAdapter, violationsOf } from '../sut/honesty.ts';
import { fillPlaceholders, loadManifest } from '../sut/manifest.ts';
import { UsageFault } from '../sut/session.ts';
import { placeholderValues } from '../sut/start-parts.ts';
import { reportFault } from './fault.ts';

interface CheckFlags {
  readonly impl?: string;
}

/** Adds `conform adapter check -- COMMAND…` and `--impl FILE`. */
export function addAdapterCommand(program: Command): void {
  program
    .command('adapter')
    .description('work on an adapter')
    .command('check')
    .description('put the honesty probes to an adapter and validate every message it sends')
    .argument('[command...]', 'the adapter, after --')
    .option('--impl <file>', 'take the command from this implementation.yaml')
    .action(async (command: readonly string[], flags: CheckFlags) => {
      process.exitCode = await check(command, flags);
    });
}

async function check(command: readonly string[], flags: CheckFlags): Promise<number> {
  try {
    const [words, cwd] = commandOf(command, flags);
    const adapter = await startAdapterClient(words, cwd);
    try {
      const complaints = await complaintsOf(adapter);
      const { name, version } = adapter.hello.implementation;
      process.stdout.write(`${name} ${version ?? ''}: operations ${adapter.hello.ops.join(', ') || 'none'}\n`);
      for (const complaint of complaints) process.stdout.write(`  ${complaint}\n`);
      process.stdout.write(
        complaints.length === 0 ? 'the adapter follows the protocol\n' : `${complaints.length} complaint(s)\n`,
      );
      return complaints.length === 0 ? 0 : 1;
    } finally {
      await adapter.stop();
    }
  } catch (error) {
    return reportFault(error);
  }
}

async function complaintsOf(adapter: AdapterClient): Promise<readonly string[]> {
  const probes = await probeAdapter(adapter, false);
  const lies = probes
    .filter((probe) => !probe.honest)
    .map(({ name, answer }) => `answered ${JSON.stringify(answer)} to ${name}`);
  const unknown = probes.find((probe) => probe.name === 'a random command');
  const shapes = [
    ...(unknown === undefined ? [] : violationsOf('unknown', unknown.answer)),
    ...probes.filter((probe) => probe !== unknown).flatMap((probe) => violationsOf('op', probe.answer)),
  ];
  return [...lies, ...shapes];
}

function commandOf(command: readonly string[], flags: CheckFlags): readonly [readonly string[], string] {
  if (command.length > 0 && flags.impl === undefined) return [command, process.cwd()];
  if (command.length > 0 || flags.impl === undefined)
    throw new UsageFault('give either a command after -- or --impl FILE');
  const manifest = loadManifest(flags.impl);
  if (manifest.adapter === undefined) throw new UsageFault(`${flags.impl}: adapter: the manifest names no adapter`);
  const values = placeholderValues(manifest, manifest.folder, { data: 0, admin: 0 });
  return [manifest.adapter.map((word) => fillPlaceholders(word, values, manifest.file)), manifest.folder];
}
