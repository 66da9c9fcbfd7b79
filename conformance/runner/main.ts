import { Command, CommanderError } from 'commander';
import { packageVersion } from './values/package-root.ts';

type AddCommand = (program: Command) => void;

/** Each command is loaded only when it is asked for: the first verdict of `conform run` is not to wait for the others. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  run: async () => (await import('./commands/run.ts')).addRunCommand,
  watch: async () => (await import('./commands/watch.ts')).addWatchCommand,
  clean: async () => (await import('./commands/clean.ts')).addCleanCommand,
  up: async () => (await import('./commands/up.ts')).addUpCommand,
  adapter: async () => (await import('./commands/adapter.ts')).addAdapterCommand,
  mocks: async () => (await import('./commands/mocks.ts')).mocksCommand,
  list: async () => (await import('./commands/list.ts')).addListCommand,
  show: async () => (await import('./commands/show.ts')).addShowCommand,
  known: async () => (await import('./commands/known.ts')).addKnownCommand,
  explain: async () => (await import('./commands/explain.ts')).addExplainCommand,
  search: async () => (await import('./commands/search.ts')).addSearchCommand,
  lint: async () => (await import('./commands/lint.ts')).addLintCommand,
  init: async () => (await import('./commands/init.ts')).addInitCommand,
  new: async () => (await import('./commands/new.ts')).addNewCommand,
  coverage: async () => (await import('./commands/coverage.ts')).addCoverageCommand,
  clauses: async () => (await import('./commands/clauses.ts')).addClausesCommand,
  schema: async () => (await import('./commands/schema.ts')).addSchemaCommand,
  fuzz: async () => (await import('./commands/fuzz.ts')).addFuzzCommand,
  'live-check': async () => (await import('./commands/live-check.ts')).addLiveCheckCommand,
  ablate: async () => (await import('./commands/ablate.ts')).addAblateCommand,
  report: async () => (await import('./commands/report.ts')).addReportCommand,
  diff: async () => (await import('./commands/diff.ts')).addDiffCommand,
  grid: async () => (await import('./commands/grid.ts')).addGridCommand,
  trend: async () => (await import('./commands/trend.ts')).addTrendCommand,
  gallery: async () => (await import('./commands/gallery.ts')).addGalleryCommand,
};

const USAGE = 2;

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('conform');
  program
    .description('Conformance suite for proxies of HTTP, LLM, MCP and A2A traffic')
    .version(packageVersion())
    .exitOverride();
  const asked = COMMANDS[argv[2] ?? ''];
  const wanted = asked === undefined ? commandsWithout(argv[2]) : [asked];
  for (const load of wanted) (await load())(program);
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? usageExitCode(error) : await faultExitCode(error);
  }
}

/** No command was named: the help lists them all, and the version is told without any. */
function commandsWithout(option: string | undefined): readonly (() => Promise<AddCommand>)[] {
  return option === '-V' || option === '--version' ? [] : Object.values(COMMANDS);
}

/** A command that ends with an exit code of its own keeps it; 1 is what commander gives to mistakes on the command line. */
function usageExitCode({ exitCode }: CommanderError): number {
  return exitCode === 1 ? USAGE : exitCode;
}

/** Says what was thrown out of a command that does not say it itself. */
async function faultExitCode(error: unknown): Promise<number> {
  const { reportFault } = await import('./commands/fault.ts');
  return reportFault(error);
}

// Whoever reads has seen enough (`| head`): that is no fault of the command, which goes on to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
await main(process.argv);
