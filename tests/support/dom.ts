import { Window } from 'happy-dom';
import { vi } from 'vitest';

/** Page globals that React and Testing Library require. `fetch` and similar ones remain those of Node. */
const NAMES = ['document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'MutationObserver', 'Node'] as const;

/** Makes a page global, for component tests. Returns the function that removes it. */
export function openPage(): () => Promise<void> {
  const window = new Window();
  vi.stubGlobal('window', window);
  for (const name of NAMES) vi.stubGlobal(name, window[name]);
  return async () => {
    vi.unstubAllGlobals();
    await window.happyDOM.close();
  };
}
