import type { Progress } from './upload.ts';

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}

/**
 * Returns a `fetch` that reports upload progress. The built-in `fetch` cannot, and browsers stream uploads only over
 * HTTP/2.
 */
export function sendWithProgress(onProgress: (progress: Progress) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      const end = () => init.signal?.removeEventListener('abort', abort);
      request.open(init.method ?? 'GET', String(input));
      for (const [name, value] of Object.entries(init.headers ?? {})) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total, lengthComputable }) =>
        onProgress({ sent: loaded, total: lengthComputable ? total : null });
      request.onload = () => {
        end();
        const { status, responseText } = request;
        resolve(new Response(responseText === '' ? null : responseText, { status, headers: headersOf(request) }));
      };
      request.onerror = request.onabort = () => {
        end();
        reject(new TypeError('The upload failed'));
      };
      init.signal?.addEventListener('abort', abort);
      request.send((init.body ?? null) as XMLHttpRequestBodyInit | null);
    });
}
