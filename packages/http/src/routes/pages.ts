import type { FastifyContextConfig } from 'fastify';
import type { TSchema } from 'typebox';
import { type DescribedOptions, operationsIn, type Routes } from './describe.ts';

/** API data available to pages. */
interface PageOptions {
  /** Returns the OpenAPI document as JSON text. */
  document(): Promise<string>;
}

/** Routes for browsers that the program serves next to the API. The API reference includes them. */
export type Page = Routes<PageOptions>;

interface PageSchemas<Params> extends Pick<FastifyContextConfig, 'fails'> {
  readonly params?: Params;
  readonly response: Readonly<Record<number, unknown>>;
}

const operation = operationsIn('reference');

/** Creates the options of a page route, which needs no credentials. */
export const pageOperation = <Params extends TSchema | undefined = undefined>(
  operationId: string,
  summary: string,
  asked: PageSchemas<Params>,
): DescribedOptions<Params, undefined, undefined> => operation(operationId, summary, { ...asked, access: 'open' });
