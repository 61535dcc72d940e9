// The service without observers: no access log, no metrics, no rate limits.
import { buildApp } from '@baobab/http';
import { adapters, compose, createConnections, parseConfig } from '@baobab/server';

const config = parseConfig(process.env);
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const backend = compose(
  adapters({
    database: config.database,
    blobs: config.blobs,
    secretKey: config.secretKey ?? '',
    publicUrl: '',
    rateLimit: false,
    logger,
  }),
);
await backend.prepare({ adminPassword: config.adminPassword });
const app = buildApp(backend.services, { appCode: config.appCode, logger, connections: createConnections() });
await app.listen({ host: '127.0.0.1', port: config.port });
