import { AppError } from '../errors.ts';
import { contentPointer } from '../json-pointer.ts';
import type { JsonStep } from '../json-steps.ts';

/** Steps that lead to the places of an operator. */
interface Fork {
  readonly next: Map<JsonStep, Fork>;
  isPlace: boolean;
}

const createFork = (): Fork => ({ next: new Map(), isPlace: false });

/**
 * Refuses places that an operator names twice, in any spelling. Members of an object have no order, so no place may be
 * inside another one either; in a list of paths, which has an order, it may.
 *
 * @param inputs JSON Pointers to the paths in the patch, in the order of `places`
 * @throws `patch.invalid`
 */
export function refuseRepeated(
  places: ReadonlyArray<readonly JsonStep[]>,
  { inputs, isOrdered }: { readonly inputs: readonly string[]; readonly isOrdered: boolean },
): void {
  const root = createFork();
  for (const [index, steps] of places.entries()) {
    const refuse = (problem: string): never => {
      throw new AppError('patch.invalid', {
        detail: `${contentPointer(steps)} ${problem}`,
        input: inputs[index] ?? '',
      });
    };
    let fork = root;
    let isInside = false;
    for (const step of steps) {
      isInside ||= fork.isPlace;
      const next = fork.next.get(step) ?? createFork();
      fork.next.set(step, next);
      fork = next;
    }
    if (fork.isPlace) refuse('is named twice by one operator: name each place once');
    if (!isOrdered && (isInside || fork.next.size > 0)) {
      refuse(
        'is inside another place of this operator, or around one: change the outer one as a whole, or the inner one',
      );
    }
    fork.isPlace = true;
  }
}
