import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { type FieldError, invalidValue } from '../api/field-error.js';
import { badRequest, invalid } from '../api/status-error.js';
import type { User } from '../api/user.js';
import type { Review } from '../registry/review.js';
import type { AuthorizationAttributes } from './attributes.js';
import { decide, rulesFor } from './authorize.js';

const group = 'authorization.k8s.io';
const named = { group, version: 'v1' } as const;

/** The reviews of a user's permissions. Source: Kubernetes API reference, SubjectAccessReview and related kinds. */
export const accessReviews: readonly Review[] = [
  {
    ...named,
    kind: 'SelfSubjectAccessReview',
    namespaced: false,
    evaluate: (backend, user, spec) => ({ status: decisionOf(backend, user, spec) }),
  },
  {
    ...named,
    kind: 'SubjectAccessReview',
    namespaced: false,
    evaluate(backend, _user, spec) {
      checkSpec(spec);
      return { status: decisionOf(backend, subjectOf(spec), spec) };
    },
  },
  {
    ...named,
    kind: 'LocalSubjectAccessReview',
    namespaced: true,
    evaluate(backend, _user, spec, namespace) {
      checkSpec(spec, localErrors(spec, namespace));
      return { metadata: { namespace: namespace as string }, status: decisionOf(backend, subjectOf(spec), spec) };
    },
  },
  {
    ...named,
    kind: 'SelfSubjectRulesReview',
    namespaced: false,
    evaluate(backend, user, spec) {
      if (!spec.namespace) throw badRequest('no namespace on request');
      const rules = rulesFor(backend, user, String(spec.namespace));
      const resourceRules = rules
        .filter(({ resources }) => resources.length > 0)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          apiGroups,
          resources,
          ...(resourceNames.length > 0 ? { resourceNames } : {}),
        }));
      const nonResourceRules = rules
        .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
      return { spec: {}, status: { resourceRules, nonResourceRules, incomplete: false } as unknown as Json };
    },
  },
];

function decisionOf(backend: Parameters<typeof decide>[0], user: User, spec: JsonObject): JsonObject {
  const { allowed, reason } = decide(backend, user, attributesOf(spec));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

/** Checks the spec of a review of any user. @throws StatusError 422 naming every error */
function checkSpec(spec: JsonObject, more: readonly FieldError[] = []): void {
  const errors = [...attributeErrors(spec), ...subjectErrors(spec), ...more];
  if (errors.length > 0) throw invalid('', group, '', errors);
}

function attributeErrors({ resourceAttributes: resource, nonResourceAttributes: path }: JsonObject): FieldError[] {
  if (isJsonObject(resource) !== isJsonObject(path)) return [];
  if (isJsonObject(path)) return [pathError(path, 'cannot be specified in combination with resourceAttributes')];
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', null, text)];
}

/** Returns the errors of a review that belongs to a namespace. */
function localErrors(
  { resourceAttributes: resource, nonResourceAttributes: path }: JsonObject,
  namespace: string | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  if (isJsonObject(resource) && resource.namespace !== namespace)
    errors.push(invalidValue('spec.resourceAttributes.namespace', resource.namespace ?? '', 'must match metadata.namespace'));
  if (isJsonObject(path)) errors.push(pathError(path, 'disallowed on this kind of request'));
  return errors;
}

/** Returns an error that shows the fields in the order of the Go struct. */
function pathError({ path = '', verb = '' }: JsonObject, detail: string): FieldError {
  return invalidValue('spec.nonResourceAttributes', { Path: path, Verb: verb }, detail);
}

function subjectErrors({ user, groups }: JsonObject): FieldError[] {
  if (user || (Array.isArray(groups) && groups.length > 0)) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

function attributesOf(spec: JsonObject): AuthorizationAttributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const [error] = attributeErrors(spec);
  if (error !== undefined) throw invalid('', group, '', [error]);
  if (isJsonObject(path)) return { verb: String(path.verb ?? ''), path: String(path.path ?? '') };
  const requested = resource as Readonly<Record<string, string | undefined>>;
  const { verb = '', group: apiGroup = '', resource: plural = '', subresource, namespace, name } = requested;
  return { verb, group: apiGroup, resource: plural, subresource, namespace, name };
}

function subjectOf(spec: JsonObject): User {
  const { user, groups, uid } = spec;
  const [error] = subjectErrors(spec);
  if (error !== undefined) throw invalid('', group, '', [error]);
  const members = Array.isArray(groups) ? (groups as readonly string[]) : [];
  return { name: String(user ?? ''), groups: members, ...(uid === undefined ? {} : { uid: String(uid) }) };
}
