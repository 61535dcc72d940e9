import type { MarkdownRenderer } from 'vitepress';
import { toJavaScript, toPython } from './requests.ts';
import { readRequests } from './shell.ts';

/**
 * Shows a block of curl commands as tabs: curl, JavaScript, Python. Blocks with other commands stay as they are.
 */
export function codeTabs(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence;
  let groups = 0;
  md.renderer.rules.fence = (tokens, at, options, env, self) => {
    const token = tokens[at];
    const draw = () => fence?.(tokens, at, options, env, self) ?? '';
    if (token === undefined || !/^sh\b/.test(token.info)) return draw();
    const steps = token.info.trim() === 'sh' ? readRequests(token.content) : null;
    if (steps === null) {
      token.info = 'sh';
      return draw();
    }
    groups++;
    const shell = draw();
    const { info, content } = token;
    const other = (language: string, code: string) => {
      Object.assign(token, { info: language, content: code });
      const html = draw();
      Object.assign(token, { info, content });
      return html;
    };
    const blocks: ReadonlyArray<readonly [string, string]> = [
      ['curl', shell],
      ['JavaScript', other('js', toJavaScript(steps))],
      ['Python', other('python', toPython(steps))],
    ];
    const name = `code-${groups}`;
    const tabs = blocks.map(
      ([title], i) =>
        `<input type="radio" name="${name}" id="${name}-${i}"${i === 0 ? ' checked' : ''}><label data-title="${title}" for="${name}-${i}">${title}</label>`,
    );
    const bodies = blocks.map(([, html], i) =>
      i === 0 ? html.replace('class="language-', 'class="active language-') : html,
    );
    return `<div class="vp-code-group"><div class="tabs">${tabs.join('')}</div><div class="blocks">${bodies.join('')}</div></div>`;
  };
}
