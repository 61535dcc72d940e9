import type { TSchema } from 'typebox';
import { type DescribedOptions, operationsIn, type Routes } from './routes/describe.ts';

/** What pages get of the interface. */
interface PageOptions {
  /** The OpenAPI document as JSON text. */
  document(): Promise<string>;
}

/** Routes for browsers that the program serves beside the interface. The reference describes them, too. */
export type Page = Routes<PageOptions>;

interface Asked<Params> {
  readonly params?: Params;
  readonly response: Readonly<Record<number, unknown>>;
}

const operation = operationsIn('reference');

/** Makes the options of a route of a page, which needs no credentials. */
export const pageOperation = <Params extends TSchema | undefined = undefined>(
  operationId: string,
  summary: string,
  asked: Asked<Params>,
): DescribedOptions<Params, undefined, undefined> => operation(operationId, summary, { ...asked, access: 'open' });
