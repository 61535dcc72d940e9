import { describeRoutes } from './describe.ts';
import type { Examples } from './examples.ts';
import type { ServedRoute } from './routes.ts';

async function generate(routes: readonly ServedRoute[]): Promise<string> {
  const { default: examples } = await import('./examples.json', { with: { type: 'json' } });
  return JSON.stringify(await describeRoutes(routes, examples as Examples));
}

/** Returns a function that generates the OpenAPI document as JSON text on first use. Failures are not cached. */
export function documentText(routes: readonly ServedRoute[]): () => Promise<string> {
  let text: Promise<string> | null = null;
  return () => {
    text ??= generate(routes).catch((error: unknown) => {
      text = null;
      throw error;
    });
    return text;
  };
}
