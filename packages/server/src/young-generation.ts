import { setFlagsFromString } from 'node:v8';

/** Sets the factor by which V8 enlarges its young generation once as many bytes have survived in it as it holds. */
function growBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

// Keeps V8's young generation small during startup. Nearly all objects allocated then survive; V8 concludes that the
// program needs a large young generation and keeps it, and the little garbage of a service then fills it (ADR 27).
// `serve.ts` imports this module first: by then all code has been compiled, and none of it has run. Code that was
// compiled before is reused only under the flags under which it was compiled.
growBy(1);

/**
 * Lets the young generation grow again. To be called once the program is serving: from then on, surviving objects say
 * something about the workload.
 */
export function unlimitYoungGeneration(): void {
  growBy(2);
}
