import type { AuditTrail } from '@baobab/core';
import { Type } from 'typebox';
import { auditCursor, auditPage, shownAuditEvent } from '../audit-page.ts';
import { sendPage } from '../envelope.ts';
import type { PagedRoutes } from '../paging.ts';
import { AuditEntry, AuditListQuery } from '../schemas/audit.ts';
import { Page } from '../schemas/common.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('administration');

/** Audit trail of security-relevant events. */
export const auditRoutes: Routes<PagedRoutes & { auditTrail: AuditTrail }> = async (app, { auditTrail, pages }) => {
  app.get(
    '/admin/audit',
    operation('listAuditEvents', 'Who did what to whom, and from where, newest first', {
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
