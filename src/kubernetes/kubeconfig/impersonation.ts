import type { Headers } from '../connection.js';
import type { UserEntry } from './kube-config.js';

/** Returns the headers by which a user acts as another. Source: Kubernetes documentation "User impersonation". */
export function impersonationHeaders(user: UserEntry): Headers {
  const { impersonateUser, impersonateUid, impersonateGroups, impersonateExtra } = user;
  if (!impersonateUser) return {};
  const extra = Object.entries(impersonateExtra ?? {}).map(([key, values]) => [`Impersonate-Extra-${escapedName(key)}`, values] as const);
  return {
    'Impersonate-User': impersonateUser,
    ...(impersonateUid ? { 'Impersonate-Uid': impersonateUid } : {}),
    ...(impersonateGroups?.length ? { 'Impersonate-Group': impersonateGroups } : {}),
    ...Object.fromEntries(extra),
  };
}

/** Percent-encodes what the name of a header may not contain, and the percent sign. */
function escapedName(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const character = String.fromCharCode(byte);
    return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
