// Formats of requests and responses without the framework, for commands that accept and print the same.
export { criteriaText, type NumberedPage, searchCursor, searchPage } from './lists/criteria.ts';
export { documentJson } from './render/document.ts';
export { profileJson } from './render/profile.ts';
export { API_VERSION } from './version.ts';
