import { useEffect, useRef } from 'preact/hooks';

/** Does what stands beside a key, unless somebody is typing or a modifier is held. */
export function useKeys(isOn: boolean, keys: Readonly<Record<string, () => void>>): void {
  // What is right for the last drawing, so that a fast typist acts on what is there.
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!isOn) return undefined;
    const act = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [isOn]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName);
}
