import type { AuditTrail } from '@baobab/core';
import { Type } from 'typebox';
import { auditCursor, auditPage, shownAuditEvent } from '../audit-page.ts';
import { sendPage } from '../envelope.ts';
import type { PageLimits } from '../paging.ts';
import { AuditEntry, AuditListQuery } from '../schemas/audit.ts';
import { failures, Page } from '../schemas/common.ts';
import type { Routes } from './plugin.ts';

export interface AuditRouteOptions {
  readonly auditTrail: AuditTrail;
  readonly pages: PageLimits;
}

/** What has happened that is relevant to security. */
export const auditRoutes: Routes<AuditRouteOptions> = async (app, { auditTrail, pages }) => {
  app.get(
    '/admin/audit',
    {
      schema: {
        operationId: 'listAuditEvents',
        summary: 'Who did what to whom, and from where, newest first',
        tags: ['administration'],
        querystring: AuditListQuery,
        response: { 200: Page(Type.Array(AuditEntry)), ...failures },
      },
    },
    async ({ actor, query }, reply) => {
      const { events, more } = await auditTrail.list(actor, auditPage(query, pages));
      const next = auditCursor(events, more);
      return sendPage(reply, JSON.stringify(events.map(shownAuditEvent)), { more, next });
    },
  );
};
