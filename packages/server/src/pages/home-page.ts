import { createHash } from 'node:crypto';
import { API_VERSION } from '@baobab/http';
import { MARK, NAME } from './mark.ts';

export interface PageLink {
  /** Relative, so that it works below a path prefix of a proxy. */
  readonly href: string;
  readonly name: string;
  readonly about: string;
}

const STYLE = `
:root { color-scheme: light dark; --ground: #fbfaf7; --card: #fff; --text: #20241f; --dim: #565c54; --link: #1f6b38; --line: #dcdcd4 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #171a17; --card: #20241f; --text: #ecefe9; --dim: #b4bab1; --link: #7fd39a; --line: #3a4039 }
}
* { box-sizing: border-box }
body { margin: 0; padding: 8vh 1rem 2rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 34rem; margin: 0 auto }
header { display: flex; align-items: center; gap: .75rem }
header svg { width: 3rem; height: 3rem; flex: none }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.2 }
p { margin: 1rem 0; color: var(--dim) }
ul { margin: 1.5rem 0; padding: 0; list-style: none }
li { margin: .5rem 0; padding: .75rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem }
a { color: var(--link); font-weight: 600 }
li span { display: block; color: var(--dim) }
`;

const ICON = `data:image/svg+xml;base64,${Buffer.from(MARK).toString('base64')}`;

/** The page may use only its own styles and icon. */
export const HOME_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const item = ({ href, name, about }: PageLink) => `<li><a href="${href}">${name}</a><span>${about}</span></li>`;

/** Returns the page for people who open the server's URL in a browser. */
export const homeHtml = (links: readonly PageLink[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${NAME}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<main>
<header>${MARK.replace('<svg ', '<svg aria-hidden="true" ')}<h1>${NAME} ${API_VERSION}</h1></header>
<p>This service is the backend of an app: users, documents, files and push notifications over HTTP.</p>
<ul>
${links.map(item).join('\n')}
</ul>
</main>
</body>
</html>
`;
