export { ANN, oauthContract } from './contract.ts';
export { idTokenContract } from './id-tokens.ts';
export { oauthNetworkContract } from './network.ts';
export * from './stand-in.ts';
export * from './subject.ts';
export * from './tokens.ts';
