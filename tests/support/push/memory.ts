import { fcmService } from '@baobab/adapters/fcm';
import { createMemoryPush } from '@baobab/adapters/memory';
import type { OpenedPush, PushReply } from '@baobab/contracts/push';
import type { PushOutcome } from '@baobab/core';
import { createWith } from '../fixed-settings.ts';

/** Returns the scripted outcome of the memory adapter. */
function outcomeOf(reply: PushReply, isProven: boolean): PushOutcome {
  if (typeof reply === 'object') return { kind: 'retry', reason: 'busy', after: reply.busyFor * 1_000 };
  if (reply === 'accept') return { kind: 'delivered' };
  if (reply === 'dead' || (reply === 'unknown device' && isProven))
    return { kind: 'dead', reason: 'dead', since: null };
  if (reply === 'down') return { kind: 'retry', reason: 'down', after: null };
  return { kind: 'refused', of: reply === 'bad credentials' ? 'service' : 'notification', reason: reply };
}

/** Opens the in-memory push service, with the messages that it has accepted. */
export async function openMemoryPush(): Promise<OpenedPush> {
  let decide: (device: string) => PushReply = () => 'accept';
  const push = createMemoryPush(({ device }) => outcomeOf(decide(device), push.sent.length > 0));
  const service = createWith(fcmService(push), { 'push.android.service_account': '{}' });
  const channel = await service.channel();
  if (channel === null) throw new Error('the service is not configured');
  return {
    service,
    channel,
    get received() {
      return push.sent.map(({ message, custom, collapseKey, ...rest }) => ({
        ...rest,
        text: message,
        custom: custom === null ? null : JSON.parse(custom),
        collapse: collapseKey ?? rest.id,
      }));
    },
    behave(how) {
      decide = how;
    },
    close: push.close,
  };
}
