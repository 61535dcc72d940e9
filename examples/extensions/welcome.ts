import { defineExtension } from '@baobab/server/extensions';

/** Sends a mail to new users who have given an address. */
export default defineExtension((app) => {
  app.after('user.create', 'welcome', {}, async ({ id, username, profile }) => {
    const to = profile.visibleByTheUser?.email;
    if (typeof to !== 'string') return;
    const text = `Hello ${username}, good to have you here.`;
    await app.mail.send({ userId: id, to, subject: 'Welcome', text, topic: 'welcome' });
  });
});
