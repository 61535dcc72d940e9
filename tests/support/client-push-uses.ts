import type { Baobab } from '@baobab/client';

const device = { os: 'ios', deviceId: 'token' } as const;
const message = { message: 'Hello' };

/** Client calls for push notifications, by operation. */
export const PUSH_USES: Readonly<Record<string, readonly ((client: Baobab) => unknown)[]>> = {
  enablePush: [({ push }) => push.enable(device)],
  disablePush: [({ push }) => push.disable('x')],
  sendPush: [({ push }) => push.send(['bob'], message)],
  sendPushToUser: [({ push }) => push.sendTo('bob', message)],
  readPush: [({ push }) => push.state('x')],
  listPush: [({ push }) => push.list().page()],
};
