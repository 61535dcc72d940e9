import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { type Duplex, PassThrough } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type Proxies, proxyFor, tunnel } from './proxies.ts';

const TUNNEL_LIMIT_MS = 5_000;

type Created = (error: Error | null, stream: Duplex) => void;

/**
 * Creates Node agents for requests to one server, through a proxy if the environment names one.
 *
 * @param server URL of the server
 */
export function agentsFor(server: string, proxies: Proxies | null, options: AgentOptions) {
  const proxy = proxyFor(new URL(server), proxies);
  const [httpAgent, httpsAgent] = [new HttpAgent(options), new HttpsAgent(options)];
  if (proxy === null) return { httpAgent, httpsAgent };

  const open = ({ host, port }: ClientRequestArgs) =>
    tunnel(proxy, `${host}:${port}`, AbortSignal.timeout(TUNNEL_LIMIT_MS));
  const give = (opening: Promise<Duplex>, created?: Created) => {
    opening.then(
      (stream) => created?.(null, stream),
      (error: Error) => created?.(error, new PassThrough()),
    );
    return undefined;
  };
  httpAgent.createConnection = (target, created) => give(open(target), created);
  httpsAgent.createConnection = (target, created) =>
    // The agent has added the TLS options to those of the request.
    give(
      open(target).then((socket) => connectTls({ ...(target as object), socket })),
      created,
    );
  return { httpAgent, httpsAgent };
}
