export { NOTIFICATION, pushContract, wanted } from './contract.ts';
export { pushNetworkContract } from './network.ts';
export * from './subject.ts';
