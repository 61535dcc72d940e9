import { ERASE_FIELD, type ErasurePages, type Logger, resetTroublePage } from '@baobab/core';
import { Type } from 'typebox';
import { clientAddress } from '../../callers/client-address.ts';
import { operationsIn, type Routes } from '../describe.ts';
import { Opened, pageErrorHandler, Submitted, sendOutcome } from './link-pages.ts';

const operation = operationsIn('users');

const PAGE = '/user/erase';
const LINK = '/user/erase/:token';

/** Pages for browsers that delete an account. */
export const erasureRoutes: Routes<{ erasurePages: ErasurePages; logger: Logger }> = async (
  app,
  { erasurePages, logger },
) => {
  const errorHandler = pageErrorHandler(logger, ({ method, url }, { status, message }) =>
    method === 'POST' && status === 400 && url === PAGE
      ? erasurePages.refuse(message).catch(() => resetTroublePage(message))
      : resetTroublePage(message),
  );

  app.get(
    PAGE,
    {
      errorHandler,
      ...operation('openErasure', 'Read the form for deleting an account', { response: Opened, access: 'open' }),
    },
    async (_request, reply) => sendOutcome(reply, await erasurePages.open()),
  );

  app.post(
    PAGE,
    {
      errorHandler,
      ...operation('requestErasureLink', 'Send a mail with a link that deletes the account', {
        description: 'For an unknown account the response is the same.',
        body: Type.Object({ [ERASE_FIELD]: Type.String() }),
        response: Submitted,
        fails: ['mail.unavailable', 'rate.limited'],
        describes: { takesForms: true },
        access: 'open',
      }),
    },
    async (request, reply) => {
      const { [ERASE_FIELD]: typed = '' } = request.body as Record<string, string>;
      return sendOutcome(reply, await erasurePages.ask(typed, clientAddress(request)));
    },
  );

  app.get(
    LINK,
    {
      errorHandler,
      ...operation('openErasureLink', 'Read the page that confirms the deletion of an account', {
        response: Opened,
        access: 'open',
      }),
    },
    async ({ params }, reply) => sendOutcome(reply, await erasurePages.openLink(params.token)),
  );

  app.post(
    LINK,
    { errorHandler, ...operation('submitErasure', 'Delete the account', { response: Opened, access: 'open' }) },
    async (request, reply) =>
      sendOutcome(reply, await erasurePages.submitLink(request.params.token, clientAddress(request))),
  );
};
