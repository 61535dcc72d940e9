import { createHash, randomBytes } from 'node:crypto';
import { NAME } from './mark.ts';

/** Placeholder that the bundler inserts for the nonce. */
const NONCE = /__CSP_NONCE__/g;

/**
 * The page runs only its own scripts and calls only the server. Its scripts and styles have a nonce, which their
 * imports inherit: files and assets that users store have the same origin, but no nonce.
 */
const consolePolicy = (nonce: string) =>
  `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data: blob:; ` +
  "media-src blob:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; padding: 8vh 1rem; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 34rem; margin: 0 auto }
`;

export const UNBUILT_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Page shown while there is no build. It reloads itself. */
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

/** Escapes text for an attribute. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** Adds the application code for the page to fill in; with null, users type it. */
const withAppCode = (page: string, appCode: string | null): string =>
  appCode === null ? page : page.replace('<html ', () => `<html data-app-code="${escaped(appCode)}" `);

/** Returns the built page for one visit, with the policy that allows its scripts. */
export function visit(build: string, appCode: string | null): { readonly page: string; readonly policy: string } {
  const nonce = randomBytes(16).toString('base64url');
  return { page: withAppCode(build.replace(NONCE, nonce), appCode), policy: consolePolicy(nonce) };
}
