import { defineExtension } from '@baobab/server/extensions';

interface App {
  collections: {
    comments: { post: string; text: string };
    counters: { post: string; comments: number };
  };
}

/** Keeps the number of comments of each post in another collection. */
export default defineExtension<App>((app) => {
  app.after(['document.put', 'document.gone'], 'count-comments', { collection: 'comments' }, async (event) => {
    const { data } = event;
    // A removed comment has no content, so all counters are checked then.
    const posts = event.event === 'document.put' ? [event.document.post] : await allPosts();
    for (const post of posts) {
      // Counts again instead of adding one, because a handler may run twice.
      const comments = await data.collection('comments').query().where('post = ?', post).count();
      const counters = data.collection('counters');
      const counter = await counters.query().where('post = ?', post).first();
      if (counter === null) await counters.create({ post, comments }, { idempotencyKey: `counter-${post}` });
      else if (counter.comments !== comments) await counters.update(counter.id, { comments });
    }

    async function allPosts(): Promise<string[]> {
      return (await data.collection('counters').query().list()).map(({ post }) => post);
    }
  });
});
