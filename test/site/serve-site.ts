import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/** Returns the file of a URL of the built site, or undefined. */
export function fileOf(site: string, url: string): string | undefined {
  // Of an absolute path, normalize leaves no `..`.
  const path = join(site, normalize(decodeURIComponent(`/${url.replace(/[?#].*$/, '')}`)));
  return [path, `${path}.html`, join(path, 'index.html')].find((file) => existsSync(file) && statSync(file).isFile());
}

/** Serves the built site on the loopback interface, as any web server of static files would. */
export async function serveSite(site: string): Promise<{ readonly url: string; stop(): void }> {
  const server = createServer((request, response) => {
    const file = fileOf(site, request.url ?? '/');
    if (file === undefined) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
