import { Window } from 'happy-dom';
import { vi } from 'vitest';

/** What React and Testing Library need of a page. `fetch` and the like stay those of Node. */
const NAMES = ['document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'MutationObserver', 'Node'] as const;

/** Makes a page global, for tests of components. Returns the function that removes it. */
export function openPage(): () => Promise<void> {
  const window = new Window();
  vi.stubGlobal('window', window);
  for (const name of NAMES) vi.stubGlobal(name, window[name]);
  return async () => {
    vi.unstubAllGlobals();
    await window.happyDOM.close();
  };
}
