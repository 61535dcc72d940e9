import { API_VERSION, type RequestObserver } from '@baobab/http';
import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';

/** Batch interval of spans before export, and timeout of an export, in milliseconds. */
const EXPORT_DELAY_MS = 1_000;
const EXPORT_LIMIT_MS = 5_000;

export interface Tracing extends RequestObserver {
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/**
 * Parses a `traceparent` header (https://www.w3.org/TR/trace-context/#traceparent-header). Returns null if it is
 * invalid.
 */
function parentOf(header: unknown): SpanContext | null {
  const found = typeof header === 'string' ? /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(header) : null;
  if (found === null) return null;
  const [, traceId = '', spanId = '', flags = ''] = found;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Exports a span for each request as OTLP over HTTP. @param endpoint without `/v1/traces` */
export function createTracing(endpoint: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_LIMIT_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'baobab', 'service.version': API_VERSION }),
    // The caller's trace determines the sampling of its spans.
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: EXPORT_DELAY_MS,
        exportTimeoutMillis: EXPORT_LIMIT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('baobab', API_VERSION);

  return {
    observe(request, reply, ms) {
      const parent = parentOf(request.headers.traceparent);
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const { method, routeOptions, actor } = request;
      const route = routeOptions.url ?? 'unmatched';
      const user = actor?.user;
      const now = Date.now();
      const span = tracer.startSpan(
        `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          startTime: now - ms,
          attributes: {
            'http.request.method': method,
            'http.route': route,
            'http.response.status_code': reply.statusCode,
            'baobab.request_id': request.id,
            ...(user && { 'user.id': user.id }),
          },
        },
        context,
      );
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now);
    },
    close: () => provider.shutdown(),
  };
}
