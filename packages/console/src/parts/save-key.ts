import { useEffect, useRef } from 'react';

/** Calls `save` for Ctrl-S, or Command-S, instead of the browser's command. */
export function useSaveKey(save: () => void): void {
  const act = useRef(save);
  act.current = save;
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 's')
        return;
      event.preventDefault();
      act.current();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
