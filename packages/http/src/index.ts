export type { LineWriter } from './access-log.ts';
export { type AppOptions, buildApp, type Services } from './app.ts';
export { criteriaText, type NumberedPage, searchCursor, searchPage } from './criteria.ts';
export type { RequestMetrics, RequestObserver } from './observers.ts';
export { encodeCursor, pageRequest } from './paging.ts';
export { documentJson } from './render/document.ts';
export { profileJson } from './render/profile.ts';
export type { ShownVariable } from './routes/operation.ts';
export { API_VERSION } from './version.ts';
