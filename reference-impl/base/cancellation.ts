/** Tells everybody who works on something that it is no longer wanted: once, with the reason. */
export class Cancellation {
  #reason: Error | undefined;
  #tasks: Set<(reason: Error) => void> | undefined;

  /** Set once cancelled. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Runs `task` on cancellation, at once when it already happened. The returned function takes the task back. */
  onCancel(task: (reason: Error) => void): () => void {
    if (this.#reason !== undefined) {
      task(this.#reason);
      return () => {};
    }
    const tasks = (this.#tasks ??= new Set());
    tasks.add(task);
    return () => {
      tasks.delete(task);
    };
  }

  cancel(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    const tasks = this.#tasks;
    this.#tasks = undefined;
    for (const task of tasks ?? []) task(reason);
  }
}
