export type { LineWriter } from './access-log.ts';
export { type AppOptions, buildApp, type Services } from './app.ts';
export { type AuditQuery, auditCursor, auditPage, shownAuditEvent } from './audit-page.ts';
export type { RequestMetrics, RequestObserver, Traffic, TrafficMinute } from './observers.ts';
export { encodeCursor, pageRequest } from './paging.ts';
export type { ShownVariable } from './routes/operation.ts';
export type { ServiceCheck, ServiceCheckName } from './routes/overview.ts';
export { API_VERSION } from './version.ts';
