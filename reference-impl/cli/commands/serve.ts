import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '../../base/duration.ts';
import { LOG_LEVELS } from '../../base/log.ts';
import { LOG_FORMATS } from '../../telemetry/log-formats.ts';
import type { ServeOptions } from '../serve/run-serve.ts';

/** Adds `serve`: the proxy itself. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the proxy; without --config: port 3000 to 127.0.0.1:8000')
    .option(
      '--config <path>',
      'folder with the resources (*.yaml, *.yml, *.json), or one file; changes are taken over as they come',
    )
    .option(
      '--admin-port <port>',
      'port of the admin listener on 127.0.0.1, also for kubectl; 0 takes a free one',
      port,
      15_000,
    )
    .option('--listen-address <address>', 'address the data ports are bound to', '127.0.0.1')
    .option(
      '--stats-port <port>',
      'port of GET /metrics, on the address of the data ports; without it nothing is counted',
      port,
    )
    .addOption(
      new Option('--access-log-format <format>', 'form of the entries that access log policies write on stdout')
        .choices(LOG_FORMATS)
        .default('text'),
    )
    .addOption(new Option('--log-level <level>', 'least level to log').choices(LOG_LEVELS).default('info'))
    .addOption(duration('--drain', 'what requests under way have to end after SIGTERM, as 5s or 1m', '5s'))
    .addOption(duration('--body-idle', 'how long a client may be silent in the middle of a body', '60s'))
    .option('--max-connections <number>', 'connections of one data port; more are refused and logged', count, 10_000)
    .action(async (options: ServeOptions) => {
      const { runServe } = await import('../serve/run-serve.ts');
      process.exitCode = await runServe(options);
    });
}

/** Help shows the default as it would be written. */
function duration(name: string, description: string, usual: string): Option {
  return new Option(`${name} <duration>`, description).argParser(milliseconds).default(milliseconds(usual), usual);
}

function milliseconds(text: string): number {
  const value = parseDuration(text);
  if (value === undefined) throw new InvalidArgumentError('a duration is written as 500ms, 5s or 1m.');
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('a number of connections is at least 1.');
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('a port is a number from 0 to 65535.');
  return value;
}
