import type { Call, CallOptions } from '../backend.ts';
import { PATIENCE_MS } from '../patience.ts';

const PAUSE_MS = 5;

/**
 * Waits until the change feed contains all committed changes, by storing a document and waiting for it. Long
 * transactions on the database server, even unrelated ones, delay it.
 *
 * @param bell a collection reserved for this purpose
 */
export async function ringThrough(call: Call, options: CallOptions, bell: string): Promise<void> {
  const changes = async (since: string) => {
    const answer = await call('GET', `/changes?collection=${bell}${since}`, options);
    if (answer.status !== 200) throw new Error(`GET /changes: ${answer.status}: ${answer.text}`);
    return answer;
  };
  const { body: before } = await changes('');
  const { data: rung, text } = await call('POST', `/document/${bell}`, { ...options, body: {} });
  if (rung?.id === undefined) throw new Error(text);
  const end = performance.now() + PATIENCE_MS;
  for (let since = before.next; performance.now() < end; ) {
    const { data, body } = await changes(`&since=${encodeURIComponent(since)}`);
    if (data.some(({ id }: { id: string }) => id === rung.id)) return;
    since = body.next;
    if (!body.more) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error('the change feed does not get to a document that was stored long ago');
}
