import type { ApiRequest } from '../api/request.js';
import { badRequest } from '../api/status-error.js';
import { authorize } from '../authorization/authorize.js';
import type { Backend } from '../registry/backend.js';
import { serviceAccountUser } from './service-account-token.js';
import type { User } from './user.js';

/**
 * Returns the effective user of a request: the authenticated one, or the one that the `Impersonate-` headers name.
 * Source: Kubernetes documentation "User impersonation".
 *
 * @throws StatusError 400, 403
 */
export function impersonate(backend: Backend, user: User, request: ApiRequest): User {
  const { 'impersonate-user': name, 'impersonate-uid': uid, 'impersonate-group': groupList } = request.headers;
  const groups = (groupList ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  if (name === undefined || name === '') {
    if (groups.length === 0 && uid === undefined) return user;
    throw badRequest('requested groups or a uid to impersonate without impersonating a user name');
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const verb = 'impersonate';
  if (account === null) authorize(backend, user, { verb, group: '', resource: 'users', name });
  else
    authorize(backend, user, { verb, group: '', resource: 'serviceaccounts', namespace: account[1] as string, name: account[2] as string });
  for (const group of groups) authorize(backend, user, { verb, group: '', resource: 'groups', name: group });
  if (uid !== undefined) authorize(backend, user, { verb, group: 'authentication.k8s.io', resource: 'uids', name: uid });
  const inherent = account === null ? ['system:authenticated'] : serviceAccountUser(account[1] as string, account[2] as string).groups;
  return { name, groups: [...new Set([...groups, ...inherent])], ...(uid === undefined ? {} : { uid }) };
}
