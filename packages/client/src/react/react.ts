export { type LiveDocument, type LiveQuery, useDocument, useLiveQuery } from './live-query.ts';
export { useOffline } from './offline.ts';
export { useSession } from './session.ts';
export { type Upload, type UploadStatus, useUpload } from './upload.ts';
