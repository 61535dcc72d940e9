import { setFlagsFromString } from 'node:v8';

/** By how much V8 makes its young generation larger once as much has survived in it as it holds. */
function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/**
 * To be called before the bulk of the program is read. Nearly all that is made meanwhile stays; V8 takes that for a
 * program that needs a large young generation, and keeps one that the little garbage of a service then fills (ADR 27).
 */
export function limitYoungGeneration(): void {
  growBy(1);
}

/** To be called once the program serves: from now on what survives says something about the work. */
export function unlimitYoungGeneration(): void {
  growBy(2);
}
