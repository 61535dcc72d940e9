/** Statuses and messages of HTTP failures that the core does not know. */
export const HTTP_ERRORS = {
  internal: [500, 'Internal error; the log contains it under the request id'],
  'headers.too_large': [
    431,
    'The URL and the headers have more than 16 KB. Send the parameters of a list as JSON to POST …/query',
  ],
  'media_type.unsupported': [415, 'The media type of the body is not supported here'],
  'method.not_allowed': [405, 'This method is not allowed'],
  'path.invalid': [400, 'The path is not valid percent-encoded UTF-8'],
  'path.too_long': [414, 'A part of the path is too long'],
  'request.malformed': [400, 'The request is not valid HTTP'],
  'request.timeout': [408, 'The request did not arrive in time'],
  'upgrade.required': [426, 'This route serves WebSockets: send a WebSocket handshake'],
  'route.not_found': [404, 'No route has this path'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;
