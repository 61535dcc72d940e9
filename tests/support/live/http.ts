import { Agent, request } from 'node:http';

export interface Reply {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

export interface Sender {
  send(
    method: string,
    url: string,
    options?: { readonly token?: string | null; readonly body?: unknown },
  ): Promise<Reply>;
  close(): void;
}

/** Creates a sender of many requests to nodes that may crash, over keep-alive connections and without checks. */
export function createSender(appCode: string): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  return {
    send: (method, url, { token = null, body } = {}) =>
      new Promise((resolve) => {
        const headers: Record<string, string> = { 'x-service-appcode': appCode };
        if (token !== null) headers['x-bb-session'] = token;
        if (body !== undefined) headers['content-type'] = 'application/json';
        const sent = request(url, { method, agent, headers }, (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('error', () => resolve({ status: 0, body: null }));
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) }),
          );
        });
        sent.on('error', () => resolve({ status: 0, body: null }));
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}
