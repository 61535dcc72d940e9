export type { LineWriter } from './access-log.ts';
export { type AppOptions, buildApp, type Services } from './app.ts';
export type { RequestMetrics, RequestObserver } from './observers.ts';
export { encodeCursor, pageRequest } from './paging.ts';
export type { ShownVariable } from './routes/operation.ts';
export { API_VERSION } from './version.ts';
