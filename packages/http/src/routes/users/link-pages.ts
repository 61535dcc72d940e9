import type { LinkPage, Logger } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginFailure, createErrorHandler, type Failure, sendFailure } from '../../errors/errors.ts';
import { FORM_TYPE } from '../../requests/bodies.ts';
import { mediaTypeOf } from '../../requests/media-type.ts';
import { Html } from '../../schemas/common.ts';

export const Opened = { 200: Html, 400: Html, 500: Html, 503: Html } as const;
export const Submitted = { ...Opened, 413: Html, 415: Html, 429: Html } as const;

/**
 * Headers of the pages. They may use only their own styles, cannot be framed, and send no referrer, which would reveal
 * the link.
 */
const PAGE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

function sendPage(reply: FastifyReply, { html }: LinkPage): FastifyReply {
  return reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).send(html);
}

export const sendOutcome = (reply: FastifyReply, page: LinkPage) =>
  sendPage(reply.status(page.isError ? 400 : 200), page);

/** Handles failures of a page that a link opens. @param pageOf creates the page that browsers see */
export const pageErrorHandler = (
  logger: Logger,
  pageOf: (request: FastifyRequest, failure: Failure) => Promise<LinkPage> | LinkPage,
) =>
  createErrorHandler(logger, async (request, reply, failure) =>
    wantsPage(request, failure)
      ? sendPage(beginFailure(reply, failure), await pageOf(request, failure))
      : sendFailure(request, reply, failure),
  );

/**
 * True if a failure is shown as a page. Browsers accept HTML; programs receive the envelope. A form that cannot be
 * parsed came from a browser.
 */
function wantsPage({ headers }: FastifyRequest, { status }: Failure): boolean {
  const { accept = '', 'content-type': type } = headers;
  return accept.toLowerCase().includes('text/html') || (status === 400 && mediaTypeOf(type) === FORM_TYPE);
}
