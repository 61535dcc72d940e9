import type { Agent } from 'undici';
import { type Proxies, proxyFor } from './proxies.ts';

export interface RequestsOptions extends Agent.Options {
  readonly proxies: Proxies | null;
}

type Request = typeof import('undici').request;
type Sent = Omit<NonNullable<Parameters<Request>[1]>, 'dispatcher'>;

async function open({ proxies, ...options }: RequestsOptions) {
  const { Agent, ProxyAgent, request } = await import('undici'); // lazy, for a fast start
  const { connect } = options;
  const settings = typeof connect === 'object' ? connect : {};
  const direct = new Agent(options);
  const proxied = new Map<string, InstanceType<typeof ProxyAgent>>();

  function through(uri: string) {
    let agent = proxied.get(uri);
    if (agent === undefined) {
      // Plain HTTP is sent to the proxy without a tunnel, because most proxies allow tunnels to TLS ports only.
      const { timeout } = settings;
      const proxyTls = timeout == null ? {} : { timeout };
      agent = new ProxyAgent({ ...options, uri, requestTls: settings, proxyTls, proxyTunnel: false });
      proxied.set(uri, agent);
    }
    return agent;
  }

  return {
    request(url: string, sent: Sent) {
      const proxy = proxyFor(new URL(url), proxies);
      return request(url, { ...sent, dispatcher: proxy === null ? direct : through(proxy) });
    },
    destroy: () => Promise.all([direct, ...proxied.values()].map((agent) => agent.destroy())),
  };
}

/**
 * Sends HTTP requests over persistent connections, through a proxy if the environment names one. Opened with the first
 * request.
 */
export function createRequests(options: RequestsOptions) {
  let opened: ReturnType<typeof open> | null = null;
  return {
    async request(url: string, sent: Sent): ReturnType<Request> {
      opened ??= open(options);
      return (await opened).request(url, sent);
    },
    async close(): Promise<void> {
      await (await opened)?.destroy();
    },
  };
}
