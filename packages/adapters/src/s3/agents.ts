import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { release } from '../buffers.ts';

/** Node's parser copies what it needs from a received chunk; after that nobody needs the chunk. */
function releasing<T extends Duplex | null | undefined>(socket: T): T {
  socket?.on('data', (chunk: Uint8Array) => queueMicrotask(() => release(chunk)));
  return socket;
}

/** Agents that release received chunks immediately, without the garbage collector; see `release`. */
export function createAgents(maxSockets: number): { readonly httpAgent: Agent; readonly httpsAgent: TlsAgent } {
  const options = { maxSockets, keepAlive: true };
  const [httpAgent, httpsAgent] = [new Agent(options), new TlsAgent(options)];
  for (const agent of [httpAgent, httpsAgent]) {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (...args) => releasing(connect(...args));
  }
  return { httpAgent, httpsAgent };
}
