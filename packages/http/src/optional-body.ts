import { AppError, isJsonObject, type JsonValue } from '@baobab/core';

/**
 * Returns text members of an optional body, or null for each absent one. Older clients call these routes without a
 * body.
 *
 * @throws `input.invalid`
 */
export function textsIn<Name extends string>(body: unknown, names: readonly Name[]): Record<Name, string | null> {
  const sent = body ?? {};
  if (!isJsonObject(sent as JsonValue)) throw new AppError('input.invalid', { detail: 'the body must be an object' });
  const texts = names.map((name) => {
    const value = (Object.hasOwn(sent, name) ? (sent as Record<string, unknown>)[name] : null) ?? null;
    if (value !== null && typeof value !== 'string') {
      throw new AppError('input.invalid', { detail: `${name} must be a text`, input: `/${name}` });
    }
    return [name, value];
  });
  return Object.fromEntries(texts);
}
