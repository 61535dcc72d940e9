import openapi from '../../docs/openapi.json' with { type: 'json' };

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown; readonly examples?: object }>>;
  };
}

/** A call in which one path parameter has an invalid name. */
export interface PathAttack {
  /** Method and path of the intended operation, as in the OpenAPI document. */
  readonly operation: string;
  readonly parameter: string;
  readonly method: string;
  readonly path: string;
  /** JSON text; undefined for operations without a JSON body. */
  readonly body: string | undefined;
}

/** Returns valid values of the other path parameters. */
export type NameOf = (template: string, parameter: string) => string;

/** Values that a URL parser or a proxy resolves, decodes or drops. */
export const RESOLVED_VALUES = ['', '.', '..', '%2e', '%2E%2e', '%252e%252e', '..%5c..', '%2F', 'a%2Fb', 'x%2f..%2Fy'];

function bodyOf({ requestBody }: Operation): string | undefined {
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
  const [first] = Object.values(examples) as Array<{ readonly value?: unknown }>;
  const body = example ?? first?.value;
  return body === undefined ? undefined : JSON.stringify(body);
}

/** Returns every modifying operation, with each of its path parameters replaced by each of the values. */
export function pathAttacks(nameOf: NameOf, values: readonly string[]): PathAttack[] {
  return Object.entries(openapi.paths).flatMap(([template, item]) =>
    Object.entries(item as unknown as Readonly<Record<string, Operation>>)
      .filter(([method]) => /^(?:put|post|delete)$/.test(method))
      .flatMap(([method, operation]) =>
        Array.from(template.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter).flatMap((parameter) =>
          values.map((value) => ({
            operation: `${method.toUpperCase()} ${template}`,
            parameter,
            method: method.toUpperCase(),
            // The dot before the path of a field belongs to the value.
            path: template.replace(/(\.?)\{(\w+)\}/g, (_all, dot: string, name: string) =>
              name === parameter ? value : dot + nameOf(template, name),
            ),
            body: bodyOf(operation),
          })),
        ),
      ),
  );
}
