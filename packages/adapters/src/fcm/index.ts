export { createFcmPush, type FcmOptions } from './push.ts';
export { type FcmConfig, fcmService } from './settings.ts';
