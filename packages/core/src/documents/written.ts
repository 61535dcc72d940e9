import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { JsonStep } from '../json-edit.ts';
import type { ChangedDocument, DocumentRecord } from '../ports/storage/documents.ts';

/** A document after a change, without what callers see only with the right to read it: that is null. */
export interface WrittenDocument extends Omit<DocumentRecord, 'author' | 'content'> {
  readonly author: string | null;
  readonly content: string | null;
}

/** A changed document as the caller may see it. */
export const written = (document: ChangedDocument): WrittenDocument =>
  document.isReadable ? document : { ...document, author: null, content: null };

/** Errors whose details depend on the content. Their codes say no more than whether the change is possible. */
const OF_CONTENT: ReadonlySet<ErrorCode> = new Set(['document.invalid', 'field.unreachable']);

const pointerOf = (steps: readonly JsonStep[]) =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The error without what it says about anything but the addressed field. */
function withoutContent({ code, problems }: AppError, steps: readonly JsonStep[]): AppError {
  const place = pointerOf(steps);
  const own = problems.filter(({ path }) => path === place || path.startsWith(`${place}/`));
  return new AppError(code, { problems: own });
}

/** An edit of the addressed field whose errors disclose nothing to callers who may not read the document. */
export const edited =
  (steps: readonly JsonStep[], change: (content: string) => string) =>
  (content: string, isReadable: boolean): string => {
    try {
      return change(content);
    } catch (error) {
      if (isReadable || !isAppError(error) || !OF_CONTENT.has(error.code)) throw error;
      throw withoutContent(error, steps);
    }
  };
