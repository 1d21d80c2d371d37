import { request } from 'node:https';
import type { Connection } from '../connection.js';

const timeoutMs = 3_000; // milliseconds

/**
 * Asks a server whose certificate is not valid at the time of this machine for its own time. Nobody vouches for the answer, so it only explains an error: nothing
 * but this request is sent, without credentials. Undefined if there is none, or only a proxy reaches the server.
 */
export async function unverifiedDate({ server, facts }: Connection): Promise<number | undefined> {
  if (facts?.proxy !== undefined || !server.startsWith('https:')) return undefined;
  return new Promise((resolve) => {
    const call = request(
      new URL('/version', server),
      { method: 'HEAD', rejectUnauthorized: false, timeout: timeoutMs, agent: false },
      (response) => {
        const date = Date.parse(response.headers.date ?? '');
        resolve(Number.isNaN(date) ? undefined : date);
        response.destroy();
      },
    );
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(undefined));
    call.on('close', () => resolve(undefined));
    call.end();
  });
}
