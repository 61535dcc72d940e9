import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';

/** The routes of one feature. They get the use cases that they call and nothing else. */
export type Routes<Options> = FastifyPluginAsyncTypebox<Options & Record<never, never>>;
