import { Failure, Html, type Page, pageOperation, sendNotFound } from '@baobab/http';
import { HOME_POLICY, homeHtml, type PageLink } from './home-page.ts';

/** Links of the page, shown if the server has the route. */
const LINKS: ReadonlyArray<PageLink & { readonly route: string }> = [
  {
    route: '/console',
    href: './console',
    name: 'Console',
    about: 'Users, collections and settings, for administrators',
  },
  { route: '/guide', href: './guide/', name: 'Guide', about: 'The documentation' },
  { route: '/docs', href: './docs', name: 'API reference', about: 'All calls, to read and to try' },
  { route: '/openapi.json', href: './openapi.json', name: 'OpenAPI', about: 'The same as a document for programs' },
  { route: '/health/ready', href: './health/ready', name: 'Health', about: 'Readiness of the server' },
];

/** Page for browsers. Programs receive the failure of any path without a route. */
export const homePage: Page = async (app) => {
  app.get(
    '/',
    pageOperation('home', 'Read a page with links, for browsers', { response: { 200: Html, 404: Failure } }),
    async (request, reply) => {
      if (!request.headers.accept?.includes('text/html')) return sendNotFound(request, reply, 'There is no /');
      const links = LINKS.filter(({ route }) => app.hasRoute({ method: 'GET', url: route }));
      return reply
        .type('text/html; charset=utf-8')
        .headers({ 'Content-Security-Policy': HOME_POLICY, 'Referrer-Policy': 'no-referrer' })
        .send(homeHtml(links));
    },
  );
};
