import { quote } from '../../fields/index.js';
import { isSubdomain } from '../../util/name-text.js';
import { labelErrors } from '../api/name-rules.js';
import { decodePath, isValidPath } from '../api/path.js';
import type { ApiRequest } from '../api/request.js';
import { badRequest } from '../api/status-error.js';
import type { User } from '../api/user.js';
import { serviceAccountUser } from '../authentication/service-account-token.js';
import type { Backend } from '../registry/backend.js';
import { authorize } from './authorize.js';

const extraPrefix = 'impersonate-extra-';

/**
 * Returns the effective user of a request: the authenticated one, or the one that the `Impersonate-` headers name. Several values of
 * one header are separated by line breaks.
 * Source: Kubernetes documentation "User impersonation"; the rest as observed.
 *
 * @throws StatusError 400, 403
 */
export function impersonate(backend: Backend, user: User, { headers }: ApiRequest): User {
  const wanted = requestedUser(headers);
  if (wanted === undefined) return user;
  const { name, uid, groups, extra = {} } = wanted;
  const verb = 'impersonate';
  const account = serviceAccountNamed(name);
  if (account === undefined) authorize(backend, user, { verb, group: '', resource: 'users', name });
  else authorize(backend, user, { verb, group: '', resource: 'serviceaccounts', ...account });
  for (const group of groups) authorize(backend, user, { verb, group: '', resource: 'groups', name: group });
  const attributes = { verb, group: 'authentication.k8s.io' } as const;
  for (const [key, values] of Object.entries(extra))
    for (const value of values) authorize(backend, user, { ...attributes, resource: 'userextras', subresource: key, name: value });
  if (uid !== undefined) authorize(backend, user, { ...attributes, resource: 'uids', name: uid });
  const known = groups.length > 0 || account === undefined ? groups : serviceAccountUser(account.namespace, account.name).groups;
  const inherent = name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  const isMarked = known.includes('system:authenticated') || known.includes('system:unauthenticated');
  return { ...wanted, groups: isMarked ? known : [...known, inherent] };
}

/** Returns the user that headers name; undefined if there is none. @throws StatusError 400 */
function requestedUser(headers: ApiRequest['headers']): User | undefined {
  let isWanted = false;
  for (const header in headers) isWanted ||= header.startsWith('impersonate-');
  if (!isWanted) return undefined;
  const values = (header: string) => headers[header]?.split('\n') ?? [];
  const [name = ''] = values('impersonate-user');
  const [uid = ''] = values('impersonate-uid');
  const groups = values('impersonate-group');
  const names = Object.keys(headers).filter((header) => header.startsWith(extraPrefix));
  const extra = Object.fromEntries(names.map((header) => [extraKey(header), values(header)]));
  const user = { name, groups, ...(uid === '' ? {} : { uid }), ...(names.length === 0 ? {} : { extra }) };
  if (name !== '') return user;
  if (groups.length === 0 && uid === '' && names.length === 0) return undefined;
  throw badRequest(`requested ${userText(user)} without impersonating a user name`);
}

/** Returns the key of an extra value. An escape that is not valid is part of it. */
function extraKey(header: string): string {
  const key = header.slice(extraPrefix.length).toLowerCase();
  return isValidPath(key) ? decodePath(key) : key;
}

/** Returns a user as the server prints it. */
function userText({ name, uid = '', groups, extra }: User): string {
  const list = (values: readonly string[]) => `[]string{${values.map(quote).join(', ')}}`;
  const members = groups.length === 0 ? '[]string(nil)' : list(groups);
  const entries = Object.entries(extra ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1));
  const pairs = entries.map(([key, values]) => `${quote(key)}:${list(values)}`).join(', ');
  const extras = extra === undefined ? 'map[string][]string(nil)' : `map[string][]string{${pairs}}`;
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${members}, Extra:${extras}}`;
}

function serviceAccountNamed(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  const isValid = labelErrors('', namespace).length === 0 && isSubdomain(name);
  return isValid ? { namespace, name } : undefined;
}
