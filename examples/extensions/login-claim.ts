import { defineExtension, refuse } from '@baobab/server/extensions';

interface App {
  collections: { plans: { username: string; plan: string; ends: string } };
}

/** Writes the current plan of a user into the profile at each login, and refuses logins without one. */
export default defineExtension<App>((app) => {
  app.before('user.login', { timeout: 5_000 }, async ({ username, data, caller }) => {
    if (caller?.isAdmin) return;
    const plan = await data.collection('plans').query().where('username = ?', username).first();
    if (plan === null || plan.ends < new Date().toISOString()) {
      throw refuse('Your plan has ended', { code: 'plan.ended', status: 402 });
    }
    const { visibleByTheUser } = await data.admin.users.get(username);
    await data.admin.users.update(username, { visibleByTheUser: { ...visibleByTheUser, plan: plan.plan } });
  });
});
