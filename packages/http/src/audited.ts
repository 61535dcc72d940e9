import type { FastifyInstance } from 'fastify';

/** The tags of routes whose changes are relevant to security. Documents and files are not: they are written often. */
const AUDITED: ReadonlySet<string> = new Set([
  'addresses',
  'collections',
  'passkeys',
  'password reset',
  'roles',
  'second factor',
  'server keys',
  'sessions',
  'settings',
  'social login',
  'user administration',
  'users',
  'webhooks',
]);

/** Makes the actors of these routes say where they call from. To be called before routes are registered. */
export function markAuditedRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const tags = (route.schema as { readonly tags?: readonly string[] } | undefined)?.tags ?? [];
    if (route.method !== 'GET' && route.method !== 'HEAD' && tags.some((tag) => AUDITED.has(tag))) {
      route.config = { ...route.config, isAudited: true };
    }
  });
}
