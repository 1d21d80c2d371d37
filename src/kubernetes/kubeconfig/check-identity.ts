import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Compares the name of a server with its certificate: an option of Node's `tls.connect`. Accepts `*.internal` for `cluster.internal`, too, as Go
 * does: Node refuses an asterisk below a single name.
 */
export function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(host, certificate);
  const [, parent] = /^[^.*]+\.([^.]+)$/.exec(host.toLowerCase()) ?? [];
  const isCovered = parent !== undefined && certificate.subjectaltname?.toLowerCase().split(', ').includes(`dns:*.${parent}`);
  return isCovered ? undefined : error;
}
