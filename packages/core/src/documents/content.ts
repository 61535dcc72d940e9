import { AppError } from '../errors.ts';
import { canonicalJson, isJsonObject, type ParsedJson } from '../json-text.ts';

const AT = 0x40;
const UNDERSCORE = 0x5f;
const OWNED = new Set(['_creation_date', '_update_date', '_author', '_expanded']);

/** Returns true if the member is owned by the server: sent with every document and ignored in requests. */
export function isOwnedField(name: string): boolean {
  // Called for every member of every document. The first character decides for most names.
  const first = name.charCodeAt(0);
  if (first === AT || name === 'id') return true;
  return first === UNDERSCORE && (name.startsWith('_allow') || OWNED.has(name));
}

/**
 * Returns the text to store, without server-owned members. A value that is not an object becomes the member `value`.
 */
export function documentContent(body: ParsedJson): string {
  if (isJsonObject(body.value)) return canonicalJson(body, isOwnedField);
  return `{"value":${canonicalJson(body)}}`;
}

/**
 * Returns the version that the client expects to replace; null if it sends none.
 *
 * @throws `document.version_invalid`
 */
export function expectedVersion({ value }: ParsedJson): number | null {
  if (!isJsonObject(value) || !Object.hasOwn(value, '@version')) return null;
  const version = value['@version'];
  if (typeof version !== 'number' || !Number.isSafeInteger(version))
    throw new AppError('document.version_invalid', { input: '/@version' });
  return version;
}
