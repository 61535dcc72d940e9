import { defineExtension, refuse } from '@baobab/server/extensions';

interface App {
  collections: { posts: { text: string; language?: string } };
}

interface Verdict {
  readonly allowed: boolean;
  readonly language: string;
}

/** Creates an extension that asks a service about each post before it is stored. */
export const moderation = (service: string, allowPrivate = false) =>
  defineExtension<App>((app) => {
    for (const event of ['document.create', 'document.update'] as const) {
      app.before(event, { collection: 'posts', timeout: 5_000 }, async ({ content }) => {
        const body = JSON.stringify({ text: content.text });
        const response = await app.fetch(service, { method: 'POST', body, allowPrivate });
        const verdict = (await response.json()) as Verdict;
        if (!verdict.allowed) throw refuse('This text is not allowed', { code: 'post.refused', status: 422 });
        content.language = verdict.language;
      });
    }
  });

export default moderation(process.env.MODERATION_URL ?? 'https://moderation.example.com/check');
