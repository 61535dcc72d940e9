/** File as it is sent. */
interface StaticFile {
  /** 200, or 304 if the request's conditions say that the client has it. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Headers of the application that are sent; the others are those of the server. */
const SENT = ['content-type', 'content-encoding', 'etag', 'last-modified', 'cache-control'];

async function open(folder: string) {
  const [{ default: fastify }, { default: files }] = await Promise.all([import('fastify'), import('@fastify/static')]);
  const app = fastify();
  await app.register(files, { root: folder, preCompressed: true, dotfiles: 'ignore' });
  await app.ready();
  return app;
}

/**
 * Reads the files of a folder by an application that does not listen. Its routes and hooks cost the server nothing, and
 * it is loaded when the first file is requested.
 *
 * @returns function that takes the name of a file and the headers of the request; it resolves to null without such a file
 */
export function createStaticFiles(folder: string) {
  let opening: ReturnType<typeof open> | null = null;
  return async (name: string, headers: Readonly<Record<string, string | undefined>>): Promise<StaticFile | null> => {
    opening ??= open(folder).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    const app = await opening;
    const asked = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const url = `/${encodeURIComponent(name)}`;
    const { statusCode, headers: found, rawPayload } = await app.inject({ method: 'GET', url, headers: asked });
    if (statusCode >= 400) return null;
    const sent = SENT.flatMap((key) => (found[key] === undefined ? [] : [[key, String(found[key])]]));
    return { status: statusCode, headers: Object.fromEntries(sent), bytes: rawPayload };
  };
}
