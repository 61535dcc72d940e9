import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createConnection } from './connection.ts';
import { language } from './language.ts';
import { pageStorage } from './page-storage.ts';

const connection = createConnection({
  // The page is at /console/ of the server, which may be below a path prefix of a proxy.
  url: new URL('..', document.baseURI).href,
  appCode: document.documentElement.dataset.appCode ?? '',
  storage: pageStorage('sessionStorage'),
});
document.documentElement.lang = language;
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App connection={connection} />
    </StrictMode>,
  );
}
