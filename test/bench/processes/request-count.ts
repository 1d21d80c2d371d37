import type { Connection } from '../bare-loop.js';
import { getText } from './get-text.js';

/** Without IPAddresses: the server itself writes one for each Service. */
const metric = /^apiserver_request_total\{(?![^}]*resource="ipaddresses")[^}]*\} ([\d.e+]+)$/gm;

/** Returns the requests that the server has answered since its start, by its own metrics. Watches count when they end. */
export async function requestCount(connection: Connection): Promise<number> {
  const text = await getText(connection, '/metrics');
  return [...text.matchAll(metric)].reduce((sum, [, count]) => sum + Number(count), 0);
}
