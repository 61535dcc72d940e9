import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';

/**
 * The routes of one feature. They see the use cases that they call and nothing else. Many features share a scope of
 * Fastify, so they add routes only, and no hooks or parsers.
 */
export type Routes<Options> = FastifyPluginAsyncTypebox<Options & Record<never, never>>;

/** The options of several plugins in one: the members of each. */
export type OptionsOfAll<Plugins extends readonly Routes<never>[]> = (
  Plugins[number] extends infer Plugin
    ? Plugin extends Routes<infer Options>
      ? (options: Options) => void
      : never
    : never
) extends (options: infer All) => void
  ? All
  : never;
