export { specialUse } from './addresses.ts';
export { agentsFor } from './agents.ts';
export { createGuardedFetch, type GuardedFetch } from './fetch.ts';
export { createGuard, type Guard, type GuardOptions, openSocket } from './guard.ts';
export { hostOf, type Proxies, proxyFor, shownProxy, tunnel } from './proxies.ts';
export { createRequests } from './requests.ts';
export { RefusedAddress, type Resolve, type ResolvedAddress } from './resolve.ts';
