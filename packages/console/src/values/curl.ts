import type { SentRequest } from '../requests.ts';

/** One word of a POSIX shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface Target {
  /** The address of the service. */
  readonly url: string;
  readonly appCode: string;
}

/** A request as a command. The shell has the session's token in the variable `TOKEN`. */
export function curlOf({ method, path, body }: SentRequest, { url, appCode }: Target): string {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(url.replace(/\/+$/, '') + path)}`,
    `-H ${shellWord(`X-SERVICE-APPCODE: ${appCode}`)}`,
    '-H "X-BB-SESSION: $TOKEN"',
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `--data-raw ${shellWord(body)}`]),
  ];
  return parts.join(' \\\n  ');
}
