import type { FastifyReply } from 'fastify';

/** Calls `work` once, when the response is sent or its connection is closed, which may already be the case. */
export function afterAnswer({ raw }: FastifyReply, work: () => void): void {
  // A closed response emits no further event.
  if (raw.destroyed || raw.writableFinished) {
    work();
    return;
  }
  let isOver = false;
  function end(): void {
    if (!isOver) work();
    isOver = true;
  }
  raw.once('finish', end).once('close', end);
}
