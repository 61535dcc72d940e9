import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Bytes, type Page, pageOperation, sendNotFound } from '@baobab/http';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { UNBUILT_PAGE, UNBUILT_POLICY, visit } from './console-page.ts';
import { createStaticFiles } from './static-files.ts';

const PAGE = '/console';
const RETRY_SECONDS = 2;
/** Files of the build that are sent, without their compressed forms. */
const ASSET = /^[\w-][\w.-]*\.(?:css|js|svg|woff2)$/;

/** The page is revalidated at each visit, so that it never refers to assets of an older version. */
const pageHeaders = (policy: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
});

/** Serves the administrators' console. `folder` contains its build, which may not exist yet. */
export const consolePage =
  (folder: string, appCode: string | null): Page =>
  async (app) => {
    const fileOf = createStaticFiles(join(folder, 'assets'));

    async function sendPage(reply: FastifyReply) {
      const build = await readFile(join(folder, 'index.html'), 'utf8').catch(() => null);
      if (build !== null) {
        const { page, policy } = visit(build, appCode);
        return reply.headers(pageHeaders(policy)).send(page);
      }
      return reply
        .code(503)
        .headers(pageHeaders(UNBUILT_POLICY))
        .header('retry-after', RETRY_SECONDS)
        .send(UNBUILT_PAGE);
    }

    // Relative links in the page need the slash.
    app.get(
      PAGE,
      pageOperation('console', 'Redirects to the page for administrators', { response: { 302: Type.Null() } }),
      async (_request, reply) => reply.redirect(`.${PAGE}/`),
    );

    app.get(
      `${PAGE}/`,
      pageOperation('consolePage', 'The page for administrators', { response: { 200: Bytes, 503: Bytes } }),
      async (_request, reply) => sendPage(reply),
    );

    app.get(
      `${PAGE}/assets/:name`,
      pageOperation('consoleAsset', 'A script or style of the page for administrators', {
        params: Type.Object({ name: Type.String({ description: 'The name, which contains a digest of the content' }) }),
        response: { 200: Bytes },
        fails: ['route.not_found'],
      }),
      async (request, reply) => {
        const { name } = request.params;
        const coding = { 'accept-encoding': request.headers['accept-encoding']?.toString() };
        const file = ASSET.test(name) ? await fileOf(name, coding) : null;
        if (file === null) return sendNotFound(request, reply, 'The console has no such file');
        const { 'content-type': type, 'content-encoding': encoding } = file.headers;
        if (encoding !== undefined) reply.header('content-encoding', encoding);
        return reply
          .headers({
            'content-type': type,
            'cache-control': 'public, max-age=31536000, immutable',
            vary: 'Accept-Encoding',
          })
          .send(file.bytes);
      },
    );
  };
