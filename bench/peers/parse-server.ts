// Parse Server in a separate process, from the folder in MODULES, configured for the comparison.
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Server {
  readonly app: unknown;
  start(): Promise<void>;
}

interface Modules {
  (name: 'parse-server'): { ParseServer: new (options: object) => Server };
  (name: '@parse/fs-files-adapter'): new (options: object) => object;
  (
    name: 'express',
  ): () => {
    use(path: string, app: unknown): void;
    listen(port: number, host: string): void;
  };
}

const { PORT, MODULES = '', DATABASE_URL, APP_ID, MASTER_KEY } = process.env;

const load = createRequire(join(MODULES, 'package.json')) as unknown as Modules;
const { ParseServer } = load('parse-server');
const FileSystemAdapter = load('@parse/fs-files-adapter');
const express = load('express');

const server = new ParseServer({
  databaseURI: DATABASE_URL,
  appId: APP_ID,
  masterKey: MASTER_KEY,
  serverURL: `http://127.0.0.1:${PORT}/parse`,
  allowClientClassCreation: false,
  // Files are stored in MongoDB by default; on Postgres an adapter is required.
  filesAdapter: new FileSystemAdapter({}),
  fileUpload: { enableForAuthenticatedUser: true, fileExtensions: ['txt'] },
  silent: true,
  logLevel: 'error',
  logsFolder: null,
});
await server.start();
const app = express();
app.use('/parse', server.app);
app.listen(Number(PORT), '127.0.0.1');
