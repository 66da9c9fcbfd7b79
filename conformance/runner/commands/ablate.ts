import type { Command } from 'commander';
import { fieldName } from '../ablate/fields.ts';
import { acceptedGaps } from '../ablate/accepted-gaps.ts';
import { operatorTable } from '../ablate/operator-table.ts';
import { runAblation, type AblatedField, type AblationOutcome } from '../ablate/run-ablation.ts';
import { EVERYTHING } from '../case/select.ts';
import { loadRunnable } from '../load-suite.ts';
import { busyLine } from '../report/run-time.ts';
import { loadManifest } from '../sut/manifest.ts';
import { UsageFault } from '../sut/session.ts';
import { fairTale } from '../sut/time/fair-time.ts';
import { EXIT } from '../verdict/exit-code.ts';
import { reportFault } from './fault.ts';
import { interruptSignal } from './interrupt.ts';
import { collect, natural, positive } from './options.ts';
import { defaultManifest } from './run.ts';
import { collectAreas } from './selection-options.ts';
import { print } from './suite.ts';

interface AblateFlags {
  readonly impl?: string;
  readonly cases?: string;
  readonly area?: readonly string[];
  readonly kind?: readonly string[];
  readonly operators?: true;
  readonly draw?: number;
  readonly complete?: true;
  readonly json?: true;
  readonly workers: number;
  readonly seed: number;
}

/** Adds `conform ablate`: the suite measured by fields that are taken away. */
export function addAblateCommand(program: Command): void {
  program
    .command('ablate')
    .description(
      'take one field at a time out of what is delivered, or reset it to its default, and list those that no must-level case misses',
    )
    .argument('[pattern...]', 'a folder or file of cases, or a glob over case ids; all cases when absent')
    .option('--impl <file>', 'implementation.yaml of the implementation')
    .option('--cases <path>', 'folder of case files, or one of them, instead of those of this package')
    .option('--area <area>', 'only cases of this area of the register (repeatable)', collectAreas)
    .option('--kind <kind>', 'only fields of this kind (repeatable)', collect)
    .option('--operators', 'falsify values a little (by one, double, other unit, entries dropped or reversed) instead')
    .option('--draw <n>', 'with --operators: so many of them, chosen by the seed', positive)
    .option('--complete', 'name every case that notices a field, not only the first ones')
    .option('--json', 'machine-readable outcome')
    .option('--workers <n>', 'cases at the same time', positive, 32)
    .option('--seed <n>', 'order of the cases', natural, 1)
    .action(async (patterns: readonly string[], flags: AblateFlags) => {
      try {
        process.exitCode = await ablate(patterns, flags);
      } catch (error) {
        process.exitCode = reportFault(error);
      }
    });
}

async function ablate(patterns: readonly string[], flags: AblateFlags): Promise<number> {
  const selection = { ...EVERYTHING, patterns, areas: flags.area ?? [] };
  const { cases } = await loadRunnable({ folder: flags.cases, selection });

  const stop = interruptSignal();
  const outcome = await runAblation({
    cases,
    stop,
    workers: flags.workers,
    seed: flags.seed,
    complete: flags.complete === true,
    ...(flags.operators === true ? { operators: { draw: flags.draw } } : {}),
    kinds: flags.kind ?? [],
    manifest: loadManifest(flags.impl ?? defaultManifest()),
    progress: (text) => void process.stderr.write(`${text}\n`),
  });
  if (outcome.fields.length === 0 && !stop.aborted)
    throw new UsageFault(
      `no chosen case delivers a field${flags.kind === undefined ? '' : ` of ${flags.kind.join(', ')}`}`,
    );
  if (outcome.redAnyway.length > 0)
    process.stderr.write(`left out, because they are red with every field: ${outcome.redAnyway.join(', ')}\n`);
  const busy = busyLine(fairTale());
  // An upper bound of a time is stretched then, so that the double of a time may pass.
  if (busy !== undefined) process.stderr.write(`${busy}\n`);
  if (flags.json === true) print(JSON.stringify(asJson(outcome), undefined, 2));
  else print(flags.operators === true ? operatorTable(outcome, acceptedGaps()) : asTable(outcome));
  if (!stop.aborted) return EXIT.passed;
  process.stderr.write(`${String(stop.reason)}: the numbers are those of an unfinished run\n`);
  return EXIT.broken;
}

function asJson({ fields, share, foreign }: AblationOutcome): object {
  return {
    fields: fields.map(({ kind, path: at, noticedBy, ablated }) => ({ kind, path: at, noticedBy, ablated })),
    share,
    foreign,
  };
}

function asTable({ fields, share, foreign }: AblationOutcome): string {
  const kinds = [...new Set(fields.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const own = fields.filter((field) => field.kind === kind);
    return `${kind.padEnd(18)}${String(own.filter(isNoticed).length).padStart(5)} of ${own.length}`;
  });
  const missed = fields.filter((field) => !isNoticed(field)).map(missedLine);
  const kept = fields.filter(isNoticed).flatMap(unresetLines);
  const total = `${fields.filter(isNoticed).length} of ${fields.length} fields noticed (${(share * 100).toFixed(1)} %)`;
  return [
    ...rows,
    '',
    ...(missed.length === 0 ? [] : ['no case misses:', ...missed, '']),
    ...(kept.length === 0 ? [] : ['missed when removed, not when reset to the default:', ...kept, '']),
    ...(foreign.length === 0 ? [] : [`not counted: ${foreign.length} fields that are delivered to be refused`]),
    total,
  ].join('\n');
}

const SHOWN = 3;

function missedLine(field: AblatedField): string {
  const { usedBy } = field;
  const shown = usedBy.slice(0, SHOWN).join(', ');
  const others = usedBy.length > SHOWN ? ` and ${usedBy.length - SHOWN} more` : '';
  return `  ${fieldName(field)}  (${usedBy.length === 0 ? 'no must-level case delivers it' : `${shown}${others}`})`;
}

function unresetLines(field: AblatedField): readonly string[] {
  return field.ablated.flatMap((way) =>
    way.how === 'reset' && way.noticedBy.length === 0 ? [`  ${fieldName(field)} = ${JSON.stringify(way.to)}`] : [],
  );
}

function isNoticed({ noticedBy }: AblatedField): boolean {
  return noticedBy.length > 0;
}
