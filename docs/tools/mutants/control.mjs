// Part of the bundle that is made of the instrumented reference: every process of it does what MUTANTS_DIR/order.json says when it starts and
// at each SIGUSR2. `active` is the mutant that is switched on; with `told` what was covered since the last order is written down.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A mutant may make a loop endless; Stryker's switches throw after so many turns. */
const MOST_HITS = 100_000;
const folder = process.env.MUTANTS_DIR;
/** Where Stryker's switches look. */
const NAME = '__stryker__';
const stryker = (globalThis[NAME] ??= {});

if (folder !== undefined) {
  follow(readOrder());
  process.on('SIGUSR2', () => {
    const order = readOrder();
    if (order.told) tellCoverage(order.turn);
    follow(order);
    write('done', `${order.turn}-${process.pid}`, '');
  });
  // Whoever is named here is told of orders.
  write('running', String(process.pid), '');
}

function readOrder() {
  return JSON.parse(readFileSync(path.join(folder, 'order.json'), 'utf8'));
}

function follow({ active }) {
  stryker.activeMutant = active ?? undefined;
  stryker.hitCount = 0;
  stryker.hitLimit = MOST_HITS;
}

/** Counters stay the objects they are: instrumented code holds them. */
function tellCoverage(turn) {
  const counts = stryker.mutantCoverage?.static ?? {};
  write('covered', `${turn}-${process.pid}`, JSON.stringify(counts));
  for (const id of Object.keys(counts)) delete counts[id];
}

/** Nobody reads half a file. */
function write(kind, name, text) {
  mkdirSync(path.join(folder, kind), { recursive: true });
  const file = path.join(folder, kind, name);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
