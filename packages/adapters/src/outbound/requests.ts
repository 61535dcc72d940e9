import type { Agent } from 'undici';
import { type Proxies, proxyFor } from './proxies.ts';

export interface RequestsOptions extends Agent.Options {
  readonly proxies: Proxies | null;
}

/** Sends HTTP requests over persistent connections, through a proxy if the environment names one. */
export async function openRequests({ proxies, ...options }: RequestsOptions) {
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
    request(url: string, sent: Omit<NonNullable<Parameters<typeof request>[1]>, 'dispatcher'>) {
      const proxy = proxyFor(new URL(url), proxies);
      return request(url, { ...sent, dispatcher: proxy === null ? direct : through(proxy) });
    },
    async destroy(): Promise<void> {
      await Promise.all([direct, ...proxied.values()].map((agent) => agent.destroy()));
    },
  };
}
