import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  base: './',
  // In this repository the client is compiled from its sources. Your app needs neither this line nor this file.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: { outDir: 'dist/site', emptyOutDir: true },
});
