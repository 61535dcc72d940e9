import { AppError, ERRORS, type ErrorCode, isAppError } from '../errors.ts';
import type { ChangedDocument, DocumentRecord } from '../ports/storage/documents.ts';

/** A document after a change. Members that require read permission are null without it. */
export interface WrittenDocument extends Omit<DocumentRecord, 'author' | 'updatedBy' | 'content'> {
  readonly author: string | null;
  readonly updatedBy: string | null;
  readonly content: string | null;
}

/** Returns a changed document as visible to the caller. */
export const written = (document: ChangedDocument): WrittenDocument =>
  document.isReadable ? document : { ...document, author: null, updatedBy: null, content: null };

/** Errors whose details depend on the content. Their codes reveal only whether the change is possible. */
const OF_CONTENT: ReadonlySet<ErrorCode> = new Set(['document.invalid', 'field.type_invalid', 'field.unreachable']);

/** True if a JSON Pointer is one of the places, or within one. */
function isWithin(path: string, places: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (places.has(path.slice(0, end))) return true;
  }
  return false;
}

/** Returns the error without details about anything but the addressed places. */
function withoutContent({ code, problems }: AppError, places: readonly string[]): AppError {
  const known = new Set(places);
  const own = problems.filter(({ path }) => isWithin(path, known));
  // The reason why a place is unreachable describes the values around it.
  const shown = code === 'field.unreachable' ? own.map(({ path }) => ({ path, message: ERRORS[code] })) : own;
  return new AppError(code, { problems: shown });
}

/** Wraps an edit of the places so that its errors disclose nothing to callers who may not read the document. */
export const edited =
  <Result>(places: () => readonly string[], change: (content: string, isReadable: boolean) => Result) =>
  (content: string, isReadable: boolean): Result => {
    try {
      return change(content, isReadable);
    } catch (error) {
      if (isReadable || !isAppError(error) || !OF_CONTENT.has(error.code)) throw error;
      throw withoutContent(error, places());
    }
  };
