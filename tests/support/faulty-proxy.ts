import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
}

/** A fault that replaces the forwarding of a request. */
type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly body?: string }
  /** Accept the request and never respond. */
  | { readonly kind: 'silence' }
  /** Forward it, and close the connection after this many bytes of the response. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Forward it, and stop after this many bytes of the response without ending it. */
  | { readonly kind: 'stall'; readonly after: number };

/** An HTTP proxy that injects faults between a client and its server. */
export interface FaultyProxy {
  readonly url: string;
  /** All requests, in order. */
  readonly seen: readonly SeenRequest[];
  /** Sets the decision for each later request; null forwards it. */
  behave(decide: (request: SeenRequest) => Fault | null): void;
  close(): Promise<void>;
}

function relay(answer: IncomingMessage, response: ServerResponse, fault: Fault | null): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  if (fault?.kind !== 'cut' && fault?.kind !== 'stall') {
    answer.pipe(response);
    return;
  }
  const stop = () => {
    answer.destroy();
    if (fault.kind === 'cut') setTimeout(() => response.destroy(), 20);
  };
  // A response without a body has no bytes to wait for.
  if (fault.after === 0) {
    stop();
    return;
  }
  let sent = 0;
  answer.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, fault.after - sent);
    sent += part.length;
    if (part.length > 0) response.write(part);
    if (sent >= fault.after) stop();
  });
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const seen: SeenRequest[] = [];
  let decide: (request: SeenRequest) => Fault | null = () => null;

  const server: Server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    seen.push({ method, url });
    const fault = decide({ method, url });
    response.on('error', () => undefined);
    if (fault?.kind === 'silence') {
      incoming.resume();
      return;
    }
    if (fault?.kind === 'answer') {
      incoming.resume();
      incoming.on('end', () => response.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body));
      return;
    }
    const outgoing = request({ host: hostname, port: targetPort, method, path: url, headers }, (answer) =>
      relay(answer, response, fault),
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    behave(next) {
      decide = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
