import type { Cast } from './scenario.ts';

/** Rules that depend on documents, of the collection `books`. */
export async function rulesByDocument({ call, ann, asAdmin }: Pick<Cast, 'call' | 'ann' | 'asAdmin'>): Promise<void> {
  await asAdmin('PUT', '/admin/collection/books/rules', {
    body: {
      read: [{ role: 'anonymous', if: 'public = true' }],
      parent: 'shelf',
      check: { create: 'new.title is not null' },
      messages: { create: 'A book needs a title' },
    },
  });
  await asAdmin('PUT', '/admin/collection/books/rules', { body: { check: { update: 'title = 1' } } });
  await asAdmin('PUT', '/admin/collection/books/rules?dry=true', { body: { check: { create: 'new.title = 1' } } });
  await call('POST', '/document/books', { token: ann.token, body: { title: 'Zeno' } });
  await asAdmin('PUT', '/admin/collection/books/rules', { body: { parent: null } });
  const asked = { user: 'ann', action: 'create', content: { pages: 7 } };
  await asAdmin('POST', '/admin/collection/books/rules/test', { body: asked });
  await asAdmin('POST', '/admin/collection/books/rules/test', { body: { ...asked, user: 'nobody' } });
  await call('POST', '/document/books', { token: ann.token, body: { pages: 7 } });
}
