import { useCallback, useEffect, useState } from 'preact/hooks';
import { fetchJson } from './api.ts';
import { isDump, type Dump } from './dump.ts';

export interface Configuration {
  readonly dump: Dump | undefined;
  /** As `/status` has it. */
  readonly status: unknown;
  readonly problem: string;
  readonly reload: () => void;
}

/** The configuration in force when it was last asked for. */
export function useConfiguration(): Configuration {
  const [state, setState] = useState<Omit<Configuration, 'reload'>>({
    dump: undefined,
    status: undefined,
    problem: '',
  });
  const read = useCallback(async (): Promise<void> => {
    try {
      const [dump, status] = await Promise.all([fetchJson('/config_dump'), fetchJson('/status')]);
      if (!isDump(dump)) throw new Error('it has another form');
      setState({ dump, status, problem: '' });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      setState((before) => ({ ...before, problem }));
    }
  }, []);
  const reload = useCallback((): void => void read(), [read]);
  useEffect(reload, [reload]);
  return { ...state, reload };
}

/** What the views of the configuration get. */
export interface Configured {
  readonly dump: Dump;
  readonly status: unknown;
}
