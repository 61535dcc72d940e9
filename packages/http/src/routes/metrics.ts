import { Type } from 'typebox';
import type { RequestMetrics } from '../program/observers.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('administration');

/** For scrapers, which send Basic credentials but no application code. The route exists only if metrics are enabled. */
export const metricsRoutes: Routes<{ readonly metrics: RequestMetrics | null }> = async (app, { metrics }) => {
  if (metrics === null) return;
  app.get(
    '/metrics',
    operation('metrics', 'Read the metrics of this process, for Prometheus', {
      response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      access: 'admin',
      appCode: 'unneeded',
      describes: { needs: 'user' },
    }),
    async (_request, reply) => {
      const { contentType, text } = await metrics.render();
      return reply.type(contentType).send(text);
    },
  );
};
