import { API_VERSION } from '@baobab/http';
import { MARK, NAME } from './mark.ts';

/** Escapes text for an attribute. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/**
 * Returns the page of the API reference.
 *
 * @param base relative path of the page's own folder, so that it works below a path prefix of a proxy
 * @param appCode application code that it fills in
 */
export const referenceHtml = (base: string, appCode: string | null): string => `<!doctype html>
<html lang="en"${appCode === null ? '' : ` data-app-code="${escaped(appCode)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${NAME} API reference</title>
<link rel="icon" href="${base}/static/baobab.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/static/swagger-ui.css">
<link rel="stylesheet" href="${base}/static/baobab.css">
</head>
<body>
<header class="baobab">
<a href="${base}/../">${MARK.replace('<svg ', '<svg aria-hidden="true" ')}<span>${NAME} ${API_VERSION}</span></a>
<p>Choose <strong>Authorize</strong> to enter the application code, and a name with a password or the token of a session.
This browser keeps them until you choose <strong>Logout</strong> there.</p>
</header>
<main id="swagger-ui"></main>
<script src="${base}/static/swagger-ui-bundle.js"></script>
<script src="${base}/static/baobab.js"></script>
</body>
</html>
`;

/** Starts Swagger UI, without its own header. */
export const PAGE_SCRIPT = `
'use strict';
const { appCode } = document.documentElement.dataset;

/** Repairs what Swagger UI withholds from keyboards and screen readers. */
function repair() {
  for (const button of document.querySelectorAll('.close-modal:not([aria-label])')) button.ariaLabel = 'Close';
  // These labels differ from what the buttons show.
  for (const button of document.querySelectorAll('.modal-btn[aria-label]')) button.removeAttribute('aria-label');
  for (const code of document.querySelectorAll('pre.microlight:not([tabindex])')) code.tabIndex = 0;
}
new MutationObserver(repair).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true });

const ui = SwaggerUIBundle({
  url: location.pathname.replace(/\\/+$/, '') + '/json',
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  // Links inside of buttons, which screen readers cannot follow.
  deepLinking: false,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  validatorUrl: null,
  onComplete() {
    if (appCode && !ui.authSelectors.authorized().get('appCode')) ui.preauthorizeApiKey('appCode', appCode);
  },
});
`;

export const PAGE_STYLE = `
body { margin: 0; background: #fbfaf7 }
.baobab { max-width: 1460px; margin: 0 auto; padding: 1.25rem 20px 0; font: 1rem/1.5 system-ui, sans-serif; color: #20241f }
.baobab a { display: inline-flex; align-items: center; gap: .75rem; color: #1f6b38; font-size: 1.4rem; font-weight: 700; text-decoration: none }
.baobab a svg { width: 2.5rem; height: 2.5rem }
.baobab p { margin: .5rem 0 0 }
.swagger-ui .info { margin: 1.25rem 0 }
.swagger-ui .info a, .swagger-ui a.link { color: #1f5fb0 }
.swagger-ui .btn.authorize { color: #1f6b38; border-color: #1f6b38 }
.swagger-ui .btn.authorize svg { fill: #1f6b38 }
.swagger-ui .btn.execute { background: #1f5fb0; border-color: #1f5fb0 }
.swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fb0 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1b7042 }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
.swagger-ui .parameter__name.required::after, .swagger-ui .parameter__name.required span { color: #b3261e }
.swagger-ui .download-contents { background: #4a4f5c }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #ff9a9a !important }
.swagger-ui .parameter__deprecated, .swagger-ui .prop-format, .swagger-ui .parameter__in { color: #565c54 }
.swagger-ui .info .title, .swagger-ui .servers-title, .swagger-ui .servers, .swagger-ui .info hgroup { display: none }
`;
