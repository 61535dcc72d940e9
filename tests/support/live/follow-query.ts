import type { Baobab } from '@baobab/client';
import { until } from '../patience.ts';

/** Follows a query until the client has asked for a stream of changes. @param sent the client's calls, as they are made */
export async function followQuery(client: Baobab, sent: readonly { readonly url: URL }[]): Promise<void> {
  const query = client.collection('notes').query().where('a = ?', 1).orderBy('a');
  const stop = query.live(() => undefined, { onError: () => undefined });
  await until(async () => sent.some(({ url }) => url.pathname === '/changes/stream'));
  stop();
}
