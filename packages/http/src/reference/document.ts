import type { ServedRoute } from './routes.ts';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export interface Media {
  schema?: Json;
  example?: Json;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  required?: boolean;
  description?: string;
  schema?: Json;
  example?: Json;
}

export interface Response {
  description: string;
  content?: Record<string, Media>;
}

export interface Operation {
  readonly operationId: string;
  tags: readonly string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response | { readonly $ref: string }>;
  security?: Json;
}

/** Part of an OpenAPI 3.1 document that this code reads or changes. */
export interface OpenApi {
  readonly openapi: string;
  tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    schemas: Record<string, Json>;
    responses: Record<string, Response>;
    securitySchemes?: Record<string, Json>;
  };
}

/** Returns the URL with a name for the wildcard, which has none. */
export const documentedUrl = ({ url }: Pick<ServedRoute, 'url'>) => url.replace('*', ':fieldPath');
export const documentedPath = (route: Pick<ServedRoute, 'url'>) => documentedUrl(route).replace(/:(\w+)/g, '{$1}');
