import type { Answer, CallOptions } from './backend.ts';
import { expectDocumented } from './openapi/conformance.ts';

/** Creates a client that sends requests to a program at another address. */
export function createClient(address: string, appCode: string) {
  const call = async (method: string, path: string, { body, token, headers }: CallOptions = {}): Promise<Answer> => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(address + path, {
      method,
      headers: {
        'x-service-appcode': appCode,
        ...(token === undefined ? {} : { 'x-bb-session': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    const type = headers?.['content-type'] ?? 'application/json';
    await expectDocumented({ response, method, url: path, text, body: payload, type });
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const envelope = isJson && text !== '' ? JSON.parse(text) : undefined;
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      bytes,
      body: envelope,
      data: envelope?.data,
    };
  };
  return Object.assign(call, { address });
}

export type Client = ReturnType<typeof createClient>;
