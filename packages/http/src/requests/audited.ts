import type { FastifyInstance } from 'fastify';

/** Tags of routes whose changes are relevant to security. Documents and files are excluded: they change often. */
const AUDITED: ReadonlySet<string> = new Set([
  'addresses',
  'collections',
  'passkeys',
  'password reset',
  'roles',
  'second factor',
  'API keys',
  'sessions',
  'settings',
  'social login',
  'user administration',
  'users',
  'webhooks',
]);

/** Adds the client's network to the actors of audited routes. Call this before routes are registered. */
export function markAuditedRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const tags = (route.schema as { readonly tags?: readonly string[] } | undefined)?.tags ?? [];
    if (route.method !== 'GET' && route.method !== 'HEAD' && tags.some((tag) => AUDITED.has(tag))) {
      route.config = { ...route.config, isAudited: true };
    }
  });
}
