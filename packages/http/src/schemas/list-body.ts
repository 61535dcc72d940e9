import { type TObject, type TSchema, Type } from 'typebox';
import { isDescribed, shapeOf } from '../reference/parameters.ts';

const NUMBERS: ReadonlySet<string> = new Set(['page', 'recordsPerPage', 'recordPerPage', 'skip']);
const FLAGS: ReadonlySet<string> = new Set(['count', 'total']);

/** Returns the schema of a parameter in a body. Text is always accepted, as in a query string. */
function accepted(name: string): TSchema {
  if (name === 'params') return Type.Array(Type.Unsafe({ type: ['string', 'number', 'boolean', 'array'] }));
  if (NUMBERS.has(name)) return Type.Unsafe({ type: ['integer', 'string'] });
  return FLAGS.has(name) ? Type.Unsafe({ type: ['boolean', 'string'] }) : Type.String();
}

function shown(name: string, { description = '' }: { readonly description?: string }): TSchema {
  const shape = shapeOf({ name, in: 'query', schema: { type: 'string' } });
  if (name !== 'params') return Type.Unsafe({ ...(shape as object), description });
  return Type.Array(Type.Unknown(), {
    description: 'The value of each `?`: a text, a number, a boolean, or an array of these for `in`',
  });
}

const optional = (members: readonly (readonly [string, TSchema])[]) =>
  Object.fromEntries(members.map(([name, schema]) => [name, Type.Optional(schema)]));

/**
 * Returns the body schemas of a list with these query parameters: `checked` for the route, and `shown` for the OpenAPI
 * document, which omits the parameters named in `reference/parameters.ts`.
 */
export function listBody({ properties }: TObject) {
  const members = Object.entries(properties as Readonly<Record<string, TSchema>>).filter(
    ([name]) => name !== 'params[]',
  );
  const visible = members.filter(([name]) => isDescribed({ name, in: 'query' }));
  return {
    checked: Type.Object(optional(members.map(([name]) => [name, accepted(name)])), { additionalProperties: false }),
    shown: Type.Object(optional(visible.map(([name, schema]) => [name, shown(name, schema)]))),
  };
}
