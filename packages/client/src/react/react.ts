export { type LiveDocument, type LiveQuery, useDocument, useLiveQuery } from './live-query.ts';
export { useOffline } from './offline.ts';
export { usePresence, useRoom } from './room.ts';
export { useSession } from './session.ts';
export { type Upload, type UploadStatus, useUpload } from './upload.ts';
