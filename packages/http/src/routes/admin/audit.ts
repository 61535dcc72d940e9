import type { AuditTrail } from '@baobab/core';
import { Type } from 'typebox';
import { auditCursor, auditPage, shownAuditEvent } from '../../lists/audit-page.ts';
import type { PagedRoutes } from '../../lists/paging.ts';
import { sendPage } from '../../responses/envelope.ts';
import { AuditEntry, AuditListQuery } from '../../schemas/audit.ts';
import { Page } from '../../schemas/common.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('administration');

/** Audit trail of security-relevant events. */
export const auditRoutes: Routes<PagedRoutes & { auditTrail: AuditTrail }> = async (app, { auditTrail, pages }) => {
  app.get(
    '/admin/audit',
    operation('listAuditEvents', 'List audit events, newest first', {
      querystring: AuditListQuery,
      response: { 200: Page(Type.Array(AuditEntry)) },
    }),
    async ({ actor, query }, reply) => {
      const { events, more } = await auditTrail.list(actor, auditPage(query, pages));
      const next = auditCursor(events, more);
      return sendPage(reply, JSON.stringify(events.map(shownAuditEvent)), { more, next });
    },
  );
};
