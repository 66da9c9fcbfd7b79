import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { fetchNewer, type Fetched } from './api.ts';
import { isStatuses, type Statuses } from './conditions.ts';
import { isDump, type Dump } from './dump.ts';

/** What the views of the configuration get. */
export interface Configured {
  readonly dump: Dump;
  readonly status: Statuses;
}

export interface Configuration {
  readonly configured: Configured | undefined;
  readonly problem: string;
  /** Asks whether there is a newer one; what did not change is not sent again. */
  readonly reload: () => void;
}

/** The configuration in force when it was last asked for. */
export function useConfiguration(): Configuration {
  const [configured, setConfigured] = useState<Configured>();
  const [problem, setProblem] = useState('');
  const last = useRef<{ readonly dump?: Fetched; readonly status?: Fetched }>({});
  const read = useCallback(async (): Promise<void> => {
    try {
      const { dump: oldDump, status: oldStatus } = last.current;
      const [dump, status] = await Promise.all([fetchNewer('/config_dump', oldDump), fetchNewer('/status', oldStatus)]);
      setProblem('');
      if (dump === oldDump && status === oldStatus) return;
      if (!isDump(dump.value) || !isStatuses(status.value)) throw new Error('it has another form');
      last.current = { dump, status };
      setConfigured({ dump: dump.value, status: status.value });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  const reload = useCallback((): void => void read(), [read]);
  useEffect(reload, [reload]);
  return { configured, problem, reload };
}
