import type { TaskScript } from './script.ts';
import type { Task, TaskState } from './versions.ts';

/** The tasks an agent remembers, the newest last. */
export interface Tasks {
  /** Begins one as the script describes it. */
  readonly begin: (script: TaskScript, contextId: string | undefined) => Task;
  readonly find: (id: unknown) => Task | undefined;
  readonly all: () => readonly Task[];
  /** The same task with a change, which is remembered. */
  readonly change: (task: Task, change: { state?: TaskState; artifact?: string }) => Task;
}

/** An agent forgets its oldest task when it has more. */
const MOST = 1000;

export function createTasks(): Tasks {
  const known = new Map<string, Task>();
  let begun = 0;
  const keep = (task: Task): Task => {
    known.set(task.id, task);
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    return task;
  };
  return {
    begin: ({ id, state = 'completed', text }, contextId) => {
      begun += 1;
      const artifacts = text === undefined ? [] : [text];
      return keep({ id: id ?? `task-${begun}`, contextId: contextId ?? `context-${begun}`, state, artifacts });
    },
    find: (id) => (typeof id === 'string' ? known.get(id) : undefined),
    all: () => [...known.values()],
    change: (task, { state = task.state, artifact }) => {
      const artifacts = artifact === undefined ? task.artifacts : [...task.artifacts, artifact];
      return keep({ ...task, state, artifacts });
    },
  };
}
