import type { Baobab } from '@baobab/client';

/** Follows a query until the stream fails, because no server responds with one. */
export const followQuery = (client: Baobab) =>
  new Promise<void>((resolve) => {
    const query = client.collection('notes').query().where('a = ?', 1).orderBy('a');
    const stop = query.live(() => undefined, {
      onError() {
        stop();
        resolve();
      },
    });
  });
