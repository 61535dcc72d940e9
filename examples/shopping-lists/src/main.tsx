import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// The server worker stores the files of the app on the device, so that it opens offline.
if (import.meta.env.PROD) void navigator.serviceWorker?.register('./sw.js');

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
