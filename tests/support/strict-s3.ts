import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Requirements of a vendor. */
export interface Strictness {
  /** Session token that requests must contain. */
  readonly token?: string;
  /** True if the bucket must be part of the host. */
  readonly hostStyle?: boolean;
  /** Error code for a bucket in the path. */
  readonly hostStyleCode?: string;
  /** Region for which requests must be signed. */
  readonly region?: string;
  /** Way of reporting the region: a redirect, or the body. */
  readonly regionBy?: 'redirect' | 'body';
}

export interface SeenByS3 {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly region: string;
  readonly token: string | undefined;
  readonly key: string;
}

const failure = (code: string, message: string, more = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${more}` +
  '<AWSAccessKeyId>key-not-to-be-shown</AWSAccessKeyId><StringToSign>text-not-to-be-shown</StringToSign></Error>';

const CREDENTIAL = /Credential=([^/]+)\/\d+\/([^/]+)\//;

/**
 * Starts an S3 server in front of a more lenient one that rejects the requests that some vendors reject. Its buckets
 * are those of the other server, reached as `localhost` or `<bucket>.localhost`.
 */
export async function startStrictS3(endpoint: string, rules: Strictness) {
  const seen: SeenByS3[] = [];
  const behind = new URL(endpoint);

  function refuse(request: IncomingMessage, response: ServerResponse, status: number, body: string): void {
    const headers = {
      'content-type': 'application/xml',
      ...(status === 301 && { 'x-amz-bucket-region': rules.region }),
    };
    request.resume();
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  }

  /** Returns the rejection of a request; null: accepted. */
  function refusalOf({ host, region, token }: SeenByS3): readonly [status: number, body: string] | null {
    if (rules.hostStyle === true && !host.includes('.localhost')) {
      const code = rules.hostStyleCode ?? 'SecondLevelDomainForbidden';
      return [403, failure(code, 'The bucket must be addressed using a third level domain.')];
    }
    if (rules.region !== undefined && region !== rules.region) {
      const more = `<Region>${rules.region}</Region>`;
      return rules.regionBy === 'body'
        ? [400, failure('AuthorizationHeaderMalformed', `expecting '${rules.region}'`, more)]
        : [301, failure('PermanentRedirect', 'The bucket must be addressed at another endpoint.')];
    }
    if (rules.token !== undefined && token !== rules.token) {
      return [403, failure('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.')];
    }
    return null;
  }

  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const host = headers.host ?? '';
    const [, key = '', region = ''] = CREDENTIAL.exec(headers.authorization ?? '') ?? [];
    const token = headers['x-amz-security-token'];
    const one = { method, host, path: url, region, token: token === undefined ? undefined : String(token), key };
    seen.push(one);
    const refusal = refusalOf(one);
    if (refusal !== null) {
      refuse(incoming, outgoing, ...refusal);
      return;
    }
    const [, bucket] = /^(.+)\.localhost/.exec(host) ?? [];
    const path = bucket === undefined ? url : `/${bucket}${url}`;
    const plain = { ...headers, host: behind.host };
    const passed = request({ host: behind.hostname, port: behind.port, method, headers: plain, path }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://localhost:${port}`,
    seen: seen as readonly SeenByS3[],
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
