// The server without observers: no access log, no metrics, no rate limits.
import { adapters, compose, createApp, parseConfig } from '@baobab/server';

const config = parseConfig(process.env);
const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const backend = compose(
  adapters({
    config: { ...config, rateLimit: false, slowMs: 0 },
    secretKey: config.secretKey ?? '',
    publicUrl: '',
    logger,
  }),
);
await backend.prepare({ adminPassword: config.adminPassword });
const app = createApp(backend, { config, env: {}, logger, metrics: null, observers: [], pages: [] });
await app.listen({ host: '127.0.0.1', port: config.port });
