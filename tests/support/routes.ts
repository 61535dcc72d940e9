import type { FastifyInstance } from 'fastify';

export interface Route {
  /** Path with parameters, such as `/document/:collection`. */
  readonly path: string;
  readonly methods: readonly string[];
}

/** Returns all routes of a backend, parsed from the tree that the framework prints. */
export async function routesOf(app: FastifyInstance): Promise<Route[]> {
  await app.ready();
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = /^((?:│ {3}| {4})*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
      if (indent === undefined || part === undefined) return [];
      const depth = indent.length / 4;
      const path = (parents[depth - 1] ?? '') + part;
      parents.splice(depth, parents.length, path);
      return methods === undefined || path === '*' ? [] : [{ path, methods: methods.split(', ') }];
    });
}
