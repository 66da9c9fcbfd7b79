/** Tells everybody who works on something that it is no longer wanted: once, with the reason. */
export class Cancellation {
  #reason: Error | undefined;
  /** Most requests wait for one thing at a time: only a second one costs a set. */
  #task: Task | undefined;
  #others: Set<Task> | undefined;

  /** Set once cancelled. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Runs `task` on cancellation, at once when it already happened. The returned function takes the task back. */
  onCancel(task: Task): () => void {
    if (this.#reason !== undefined) {
      task(this.#reason);
      return () => {};
    }
    if (this.#task === undefined) {
      this.#task = task;
      return () => {
        if (this.#task === task) this.#task = undefined;
      };
    }
    const others = (this.#others ??= new Set());
    others.add(task);
    return () => {
      others.delete(task);
    };
  }

  cancel(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const [task, others] = [this.#task, this.#others];
    this.#task = this.#others = undefined;
    task?.(reason);
    for (const other of others ?? []) other(reason);
  }
}

type Task = (reason: Error) => void;
