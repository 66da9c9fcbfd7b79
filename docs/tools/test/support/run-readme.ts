import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../../conformance/runner/sut/ports.ts';
import { START_ROOM } from '../../../../conformance/runner/values/start-room.ts';

/** A command that a README shows, with what it says is printed then, and what was. */
export interface ShownCommand {
  readonly command: string;
  readonly expected: string;
  readonly printed: string;
}

/** What runs until somebody ends it. */
const LASTING = /^npx (conform mocks up|refproxy serve)\b/;
const PORT = /\b8\d{3}\b/g;

/** A page with commands, and the folder of the files that they name. */
export interface CommandPage {
  readonly page: string;
  readonly folder: string;
}

/**
 * Does what a page says: runs its `sh` blocks, of which mocks and proxies stay, and then the commands of its `console` blocks. Files and ports
 * are others, so that several pages run at the same time. Rejects when a command fails or says nothing.
 */
export async function runPage({ page, folder: files }: CommandPage): Promise<readonly ShownCommand[]> {
  const folder = mkdtempSync(path.join(tmpdir(), `example-${path.basename(files)}-`));
  const running: ChildProcess[] = [];
  try {
    const text = readFileSync(page, 'utf8');
    cpSync(files, folder, { recursive: true });
    const ports = await otherPorts(text);
    const elsewhere = (command: string): string =>
      command
        .replaceAll(PORT, (port) => String(ports.get(port) ?? port))
        .replaceAll(files, folder)
        .replaceAll(`.cache/${path.basename(files)}`, `${folder}/made`);
    for (const file of readdirSync(folder).map((one) => path.join(folder, one)))
      if (statSync(file).isFile()) writeFileSync(file, elsewhere(readFileSync(file, 'utf8')));
    for (const command of blocks(text, 'sh').flatMap(commandsOf)) {
      if (LASTING.test(command)) running.push(await start(elsewhere(command)));
      else await shell(elsewhere(command));
    }
    const shown: ShownCommand[] = [];
    for (const { command, expected } of blocks(text, 'console').flatMap(dialogueOf))
      shown.push({ command, expected, printed: await shell(elsewhere(command)) });
    return shown;
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block);
}

function commandsOf(block: string): readonly string[] {
  return block
    .replaceAll('\\\n', '')
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function dialogueOf(block: string): readonly Omit<ShownCommand, 'printed'>[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const whole = /^((?:.*\\\n)*.*)\n([^]*)$/.exec(part);
      return { command: whole?.[1] ?? part, expected: whole?.[2] ?? '' };
    });
}

async function otherPorts(readme: string): Promise<ReadonlyMap<string, number>> {
  const ports = new Set(readme.match(PORT));
  return new Map(await Promise.all([...ports].map(async (port) => [port, await freePort()] as const)));
}

/** A program of this package; it has started when it says where it is to be found. */
async function start(command: string): Promise<ChildProcess> {
  const [, program = '', ...words] = command.split(/\s+/);
  const named = ['--admin-port', '--stats-port'].filter((option) => program === 'refproxy' && !words.includes(option));
  const extra = (await Promise.all(named.map(async (option) => [option, String(await freePort())]))).flat();
  const child = spawn(process.execPath, [...START_ROOM, `bin/${program}.mjs`, ...words, ...extra], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (part: Buffer): void => {
      said += part.toString();
      if (/^(refproxy ready:|\S+ mock at )/m.test(said)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${String(code)}: ${said}`)));
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

async function shell(command: string): Promise<string> {
  const own = command.replaceAll(
    /\bnpx (conform|refproxy)\b/g,
    (_, program: string) => `${process.execPath} ${START_ROOM.join(' ')} bin/${program}.mjs`,
  );
  const { stdout } = await promisify(execFile)('sh', ['-c', own], { timeout: 60_000 });
  return stdout;
}
