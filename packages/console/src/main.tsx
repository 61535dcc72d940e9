import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createConnection, SESSION_KEYS } from './connection.ts';
import { language } from './language.ts';
import { joinOtherTabs } from './other-tabs.ts';
import { pageStorage } from './page-storage.ts';
import { applyTheme, storedTheme } from './theme.ts';

applyTheme(storedTheme());
document.documentElement.lang = language;

// The page is at /console/ of the server, which may be below a path prefix of a proxy.
const url = new URL('..', document.baseURI).href;
const storage = pageStorage('sessionStorage');
await joinOtherTabs({ url, storage, keys: SESSION_KEYS });
const connection = createConnection({ url, appCode: document.documentElement.dataset.appCode ?? '', storage });
const root = document.getElementById('root');
if (root !== null) {
  // The boundary around a view shows what it has caught.
  createRoot(root, { onCaughtError: () => undefined }).render(
    <StrictMode>
      <App connection={connection} />
    </StrictMode>,
  );
}
