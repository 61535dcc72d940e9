import type { MarkdownRenderer } from 'vitepress';

type Token = MarkdownRenderer extends { parse(...args: never[]): Array<infer One> } ? One : never;

const REMOVED = { type: 'text', tag: '', content: '', attrs: null };

/** Removes a link and leaves its text. */
function unlink(tokens: readonly Token[], start: number): void {
  const end = tokens.findIndex(({ type }, at) => at > start && type === 'link_close');
  for (const token of [tokens[start], tokens[end]]) if (token !== undefined) Object.assign(token, REMOVED);
}

/** Returns the address that a link of a page leads to; null if there is none. */
type Destination = (page: string, link: string) => string | null;

function relink(tokens: readonly Token[], page: string, destination: Destination): void {
  for (const [at, token] of tokens.entries()) {
    const link = token.type === 'link_open' ? token.attrGet('href') : null;
    if (link === null) continue;
    const place = destination(page, link);
    if (place === null) unlink(tokens, at);
    else token.attrSet('href', place);
  }
}

/** Points links between files of the repository to pages of the guide or to the forge, and removes the others. */
export function links(md: MarkdownRenderer, destination: Destination): void {
  md.core.ruler.push('links', ({ tokens, env }) => {
    const page = String(env.relativePath ?? '').replace(/index\.md$/, 'README.md');
    for (const { children } of tokens) relink(children ?? [], page, destination);
  });
}
