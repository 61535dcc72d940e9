import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';

/** Routes of one feature: they get the use cases that they call and nothing else. */
export type Routes<Options> = FastifyPluginAsyncTypebox<Options & Record<never, never>>;
