import { isBaobabError } from '@baobab/client';

/** Resolves to the code with which a call fails, to `ok` if it succeeds, and to any other error. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    return isBaobabError(error) ? error.code : error;
  }
}
