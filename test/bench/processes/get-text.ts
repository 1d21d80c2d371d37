import { get } from 'node:https';
import type { Connection } from '../bare-loop.js';

/** Returns the body of a response. @throws Error where the server answers anything but 200. */
export function getText({ server, ca, authorization }: Connection, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = get(`${server}${path}`, { ca, headers: { authorization } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () =>
        response.statusCode === 200 ? resolve(body) : reject(new Error(`${path} answered ${response.statusCode}`)),
      );
    });
    call.on('error', reject);
  });
}
