import { Agent, request as httpRequest } from 'node:http';
import type { Answer, CallOptions } from './backend.ts';
import type { Client } from './client.ts';

/** Creates a client with one connection, so that all its requests reach the same process. */
export async function pinned(address: string, appCode: string): Promise<{ client: Client; close(): void }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (method: string, path: string, { body, token, headers }: CallOptions = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const all = {
        'x-service-appcode': appCode,
        ...(token === undefined ? {} : { 'x-bb-session': token }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      };
      const request = httpRequest(address + path, { method, agent, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const isJson = response.headers['content-type']?.startsWith('application/json') === true;
          const envelope = isJson && text !== '' ? JSON.parse(text) : undefined;
          const { statusCode: status = 0, headers: answered } = response;
          resolve({ status, headers: answered, text, bytes, body: envelope, data: envelope?.data });
        });
      });
      request.on('error', reject);
      request.end(payload);
    });
  const client = Object.assign(call, { address });
  await client('GET', '/health/live');
  return { client, close: () => agent.destroy() };
}
