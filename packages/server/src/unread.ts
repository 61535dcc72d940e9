import { AppError } from '@baobab/core';
import type { ObservedRequest, UnreadAnswers } from '@baobab/http';

/** Share of the limit that one caller may use. */
const SHARE = 1 / 4;

const callerOf = ({ actor, ip }: ObservedRequest) => actor?.user?.id ?? ip;

/** Each caller has its own share, so that unread responses of one caller do not block the others. */
export function createUnreadAnswers(maxBytes: number): UnreadAnswers & { readonly bytes: number } {
  const byCaller = new Map<string, number>();
  let bytes = 0;

  function change(caller: string, by: number): void {
    bytes += by;
    const left = (byCaller.get(caller) ?? 0) + by;
    if (left === 0) byCaller.delete(caller);
    else byCaller.set(caller, left);
  }

  function assertRoomFor(caller: string): void {
    if (bytes < maxBytes && (byCaller.get(caller) ?? 0) < maxBytes * SHARE) return;
    throw new AppError('service.answers_unread');
  }

  return {
    assertRoom(request) {
      if (bytes > 0) assertRoomFor(callerOf(request));
    },
    add(reply, length) {
      const { request, raw } = reply;
      const caller = callerOf(request);
      if (request.method === 'GET') assertRoomFor(caller);
      change(caller, length);
      let isCounted = true;
      function end(): void {
        if (isCounted) change(caller, -length);
        isCounted = false;
      }
      raw.once('finish', end).once('close', end);
    },
    get bytes() {
      return bytes;
    },
  };
}
