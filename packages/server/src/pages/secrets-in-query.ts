import type { Json, JsonObject, OpenApi, Operation } from '@baobab/http';

const IN_QUERY = /InQuery$/;

/** Removes the alternatives that send secrets in the query. They are only for callers that cannot set headers. */
export function withoutSecretsInQuery(document: OpenApi): OpenApi {
  const alternative = (one: Json) => !Object.keys(one as JsonObject).some((name) => IN_QUERY.test(name));
  const operation = ({ security, ...others }: Operation): Operation =>
    Array.isArray(security) ? { ...others, security: security.filter(alternative) } : others;
  const mapped = <T, R>(members: Record<string, T>, change: (value: T) => R): Record<string, R> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]));
  const schemes = Object.entries(document.components.securitySchemes ?? {});
  return {
    ...document,
    paths: mapped(document.paths, (methods) => mapped(methods, operation)),
    components: {
      ...document.components,
      securitySchemes: Object.fromEntries(schemes.filter(([name]) => !IN_QUERY.test(name))),
    },
  };
}
