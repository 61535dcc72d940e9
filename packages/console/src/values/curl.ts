import type { SentRequest } from '../requests.ts';

/** Quotes one word for a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface ServerAddress {
  /** Address of the server. */
  readonly url: string;
  readonly appCode: string;
}

/** Returns a request as a curl command. The shell variable `TOKEN` must contain the session token. */
export function curlOf({ method, path, body }: SentRequest, { url, appCode }: ServerAddress): string {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(url.replace(/\/+$/, '') + path)}`,
    `-H ${shellWord(`X-SERVICE-APPCODE: ${appCode}`)}`,
    '-H "X-BB-SESSION: $TOKEN"',
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `--data-raw ${shellWord(body)}`]),
  ];
  return parts.join(' \\\n  ');
}
