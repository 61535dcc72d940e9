import { createHash, randomBytes } from 'node:crypto';
import { NAME } from './mark.ts';

/** Stands for the nonce in the build, where the bundler writes it. */
const NONCE = /__CSP_NONCE__/g;

/**
 * The page runs its own scripts only, and calls nothing but the service. Its scripts and styles carry a nonce, which those
 * that they import inherit: files and assets that users store have the same origin, and are none of them.
 */
const consolePolicy = (nonce: string) =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data: blob:; ` +
  "media-src blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; padding: 8vh 1rem; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 34rem; margin: 0 auto }
`;

export const UNBUILT_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the page shows while there is no build. It loads itself again. */
export const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="2">
<title>${NAME} console</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>The console is being built</h1>
<p>The first start builds it in the background, which takes a few seconds. This page loads again by itself. If nothing
happens, run <code>npm run build</code>.</p>
</main>
</body>
</html>
`;

/** Text of an attribute. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Tells the page which application code to fill in; null: users type it. */
const withAppCode = (page: string, appCode: string | null): string =>
  appCode === null ? page : page.replace('<html ', () => `<html data-app-code="${escaped(appCode)}" `);

/** The built page for one visit, with the policy that allows its scripts. */
export function visit(build: string, appCode: string | null): { readonly page: string; readonly policy: string } {
  const nonce = randomBytes(16).toString('base64url');
  return { page: withAppCode(build.replace(NONCE, nonce), appCode), policy: consolePolicy(nonce) };
}
