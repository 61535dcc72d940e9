import type { Call, CallOptions } from '../backend.ts';
import { PATIENCE_MS } from '../patience.ts';

const PAUSE_MS = 5;

/**
 * Waits until the change feed contains everything that was committed before: a document that was stored afterwards. Long
 * transactions of anybody on the database server delay it.
 *
 * @param bell a collection that nobody else uses
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
