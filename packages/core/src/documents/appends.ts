import { AppError } from '../errors.ts';

interface Writer {
  /** Found no element at the index, and so appends it. */
  appends: boolean;
  /** Another one appends there, or did while this one was under way. */
  isOvertaken: boolean;
}

/** What is known of one call that sets a field. */
export interface AppendWatch {
  /**
   * Called with each judgement of what the call would do now.
   *
   * @throws `document.busy` when it would replace an element that another call appended meanwhile
   */
  judge(isAppend: boolean): void;
  /** The call has ended. */
  end(): void;
}

/**
 * Who sets an index that does not exist wants to append. By the rules of paths the second of two such calls would
 * replace what the first appended, and nobody would notice: so it is refused. That it would have been an append is
 * known when it found the index free before, or when the first was under way in this process at the same time.
 */
export function createAppendWatches() {
  const writers = new Map<string, Set<Writer>>();

  /** @param place tells documents and paths apart */
  return (place: string): AppendWatch => {
    const others = writers.get(place) ?? new Set();
    const own: Writer = { appends: false, isOvertaken: Array.from(others).some(({ appends }) => appends) };
    writers.set(place, others.add(own));

    function claim(): void {
      own.appends = true;
      for (const writer of others) if (writer !== own) writer.isOvertaken = true;
    }

    return {
      judge(isAppend) {
        if (isAppend) claim();
        else if (own.appends || own.isOvertaken) {
          throw new AppError('document.busy', { detail: 'another call has appended an element at this index' });
        }
      },
      end() {
        others.delete(own);
        if (others.size === 0) writers.delete(place);
      },
    };
  };
}

export type AppendWatches = ReturnType<typeof createAppendWatches>;
