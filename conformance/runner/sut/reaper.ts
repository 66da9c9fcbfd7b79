import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Hears of process groups line by line, `+ 17` and `- 17`. Its input ends when the runner does, in whatever way: then it asks the groups
 * that are left to go, and ends those that have not gone after a second.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
while read -r sign group; do
  case $sign in
  +) groups="$groups$group " ;;
  -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
left=
for group in $groups; do kill -s TERM -- "-$group" && left=yes; done
[ -z "$left" ] || sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
`;

let reaper: ChildProcess | undefined;

/**
 * Sees to it that a process group ends with the runner, also when the runner is killed and can do nothing any more. The answer takes
 * the group off the list; it is called when the group has ended, because its number may be given to somebody else.
 */
export function endWithRunner(group: number): () => void {
  tell(`+ ${group}`);
  return () => tell(`- ${group}`);
}

function tell(line: string): void {
  reaper ??= startReaper();
  reaper.stdin?.write(`${line}\n`);
}

/** In a group and session of its own, so that what is meant for the runner and its terminal does not reach it. */
function startReaper(): ChildProcess {
  const child = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Where there is no shell, programs outlive only a runner that is killed.
  child.once('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return child;
}
