import { Bytes, Failure, type Page, pageOperation, sendNotFound } from '@baobab/http';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { choose, createConsoleFiles } from './console-files.ts';
import { UNBUILT_PAGE, UNBUILT_POLICY, visit } from './console-page.ts';

const PAGE = '/console';
const RETRY_SECONDS = 2;

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
    const readBuild = createConsoleFiles(folder);

    async function sendPage(reply: FastifyReply) {
      const build = await readBuild();
      if (build !== null) {
        const { page, policy } = visit(build.page, appCode);
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
        response: { 200: Bytes, 404: Failure },
      }),
      async (request, reply) => {
        const file = (await readBuild())?.assets.get(request.params.name);
        if (file === undefined) return sendNotFound(request, reply, 'The console has no such file');
        const [coding, bytes] = choose(file, request.headers['accept-encoding']);
        if (coding !== null) reply.header('content-encoding', coding);
        return reply
          .headers({
            'content-type': file.type,
            'cache-control': 'public, max-age=31536000, immutable',
            vary: 'Accept-Encoding',
          })
          .send(bytes);
      },
    );
  };
