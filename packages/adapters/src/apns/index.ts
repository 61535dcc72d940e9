export { type ApnsOptions, createApnsPush } from './push.ts';
export { type ApnsConfig, apnsService } from './settings.ts';
