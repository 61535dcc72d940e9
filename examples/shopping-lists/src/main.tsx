import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// The files of the app stay on the device, so that it opens without a network too.
if (import.meta.env.PROD) void navigator.serviceWorker?.register('./sw.js');

const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
