// Part of the bundle that is made of the instrumented reference: every process of it does what MUTANTS_DIR/orders/order.json says when it starts and
// whenever another one is there. `active` is the mutant that is switched on; with `told` what was covered since the last order is written down.
// No signals: the number of a process that has ended may be somebody else's by now.
import { mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A mutant may make a loop endless; Stryker's switches throw after so many turns. */
const MOST_HITS = 100_000;
const folder = process.env.MUTANTS_DIR;
/** Where Stryker's switches look. */
const NAME = '__stryker__';
const stryker = (globalThis[NAME] ??= {});

if (folder !== undefined) {
  let turn = follow(readOrder());
  const look = () => {
    const order = readOrder();
    if (order.turn === turn) return;
    if (order.told) tellCoverage(order.turn);
    turn = follow(order);
    write('done', `${turn}-${process.pid}`, '');
  };
  // Nothing that is watched keeps a process from ending.
  watch(path.join(folder, 'orders'), { persistent: false }, look);
  // Whoever is named here is waited for.
  write('running', String(process.pid), '');
  process.on('exit', () => {
    tellCoverage('ended');
    rmSync(path.join(folder, 'running', String(process.pid)), { force: true });
  });
  // An order may have come meanwhile.
  look();
}

function readOrder() {
  return JSON.parse(readFileSync(path.join(folder, 'orders/order.json'), 'utf8'));
}

function follow({ turn, active }) {
  stryker.activeMutant = active ?? undefined;
  stryker.hitCount = 0;
  stryker.hitLimit = MOST_HITS;
  return turn;
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
