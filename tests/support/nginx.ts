import { join } from 'node:path';
import { installed, type RunningProxy, startProxy } from './proxies.ts';

/** Directives without which nginx would write outside the folder. */
const places = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join('\n');

/**
 * Starts an nginx on a free port. Resolves when it listens.
 *
 * @param configure returns the content of the block `http`; its server must listen on this port
 */
export const startNginx = (configure: (port: number) => string): Promise<RunningProxy> =>
  startProxy({
    program: installed('usr/sbin/nginx', ['nginx', 'nginx-light', 'nginx-core']),
    args: (file, folder) => ['-e', 'stderr', '-p', folder, '-c', file],
    configuration: (port, folder) =>
      [
        'daemon off;',
        // In a root shell, the workers need access to the folder.
        ...(process.getuid?.() === 0 ? ['user root;'] : []),
        'worker_processes 1;',
        `pid ${join(folder, 'nginx.pid')};`,
        'error_log stderr warn;',
        'events {}',
        `http {\naccess_log off;\n${places(folder)}\n${configure(port)}\n}\n`,
      ].join('\n'),
  });

/** Returns a server that forwards everything, with a path in `proxy_pass`: nginx decodes and resolves the path. */
export const decodingServer = (service: number) => (port: number) =>
  `
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://127.0.0.1:${service}/;
    proxy_set_header Host $http_host;
  }
}`;
