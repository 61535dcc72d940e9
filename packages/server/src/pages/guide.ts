import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bytes, type Page, pageOperation } from '@baobab/http';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';

const PAGE = '/guide';
/** Files whose names contain a digest of their content. */
const HASHED = /^assets\/[^/]+\.[\w-]{8,}\.\w+$/;

/**
 * Returns the content security policy of the guide. The few inline scripts are the same on all pages and are allowed by
 * digest.
 */
function policyOf(page: string): string {
  const scripts = Array.from(page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^<]+)<\/script>/g), ([, text = '']) => text);
  const digests = scripts.map((text) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return (
    `default-src 'none'; script-src 'self'${digests.join('')}; style-src 'self' 'unsafe-inline'; font-src 'self'; ` +
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
}

/** Serves the pages of `docs` as a site. `folder` contains the output of `npm run docs`. */
export const guidePage =
  (folder: string): Page =>
  async (app) => {
    const policy = policyOf(readFileSync(join(folder, 'index.html'), 'utf8'));
    // Loaded lazily: programs without a guide do not need it.
    await app.register(import('@fastify/static'), { root: folder, serve: false, maxAge: '5m', dotfiles: 'ignore' });

    const send = (reply: FastifyReply, path: string) =>
      reply
        .headers({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' })
        .sendFile(path, HASHED.test(path) ? { maxAge: '365d', immutable: true } : {});

    // Relative links in the page need the slash.
    app.get(
      PAGE,
      pageOperation('guide', 'Redirects to the first page of the guide', { response: { 302: Type.Null() } }),
      async (_request, reply) => reply.redirect(`.${PAGE}/`),
    );

    app.get(
      `${PAGE}/*`,
      pageOperation('guideFile', 'A page of the guide, or a file that it loads', {
        params: Type.Object({ '*': Type.String({ description: 'The path of the page or file' }) }),
        response: { 200: Bytes, 304: Type.Null() },
        fails: ['route.not_found'],
      }),
      async ({ params }, reply) => send(reply, params['*'].replace(/(?<=^|\/)$/, 'index.html')),
    );
  };
