import { isSubdomain, nameTexts } from '../../../util/name-text.js';
import { boolType, opaqueType, stringType } from '../types/cel-type.js';
import { CelOpaque, EvaluationError } from '../values/value.js';
import { type Library, method } from './overload.js';

/** The user whose access is checked. */
export interface AccessUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** An action of a user, such as `get` on a Pod. */
export type AccessAttributes =
  | {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly verb: string; readonly path: string };

/** Decides whether a user has access. */
export type Authorize = (user: AccessUser, attributes: AccessAttributes) => { readonly allowed: boolean; readonly reason: string };

const prefix = 'kubernetes.authorization.';
export const authorizerType = opaqueType(`${prefix}Authorizer`);
export const resourceCheckType = opaqueType(`${prefix}ResourceCheck`);
const pathCheckType = opaqueType(`${prefix}PathCheck`);
const groupCheckType = opaqueType(`${prefix}GroupCheck`);
const decisionType = opaqueType(`${prefix}Decision`);

abstract class AccessValue extends CelOpaque {
  equals(other: CelOpaque): boolean {
    return this === other;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends AccessValue {
  readonly typeName = authorizerType.name;
  readonly user: AccessUser;
  readonly authorize: Authorize;

  constructor(user: AccessUser, authorize: Authorize) {
    super();
    this.user = user;
    this.authorize = authorize;
  }
}

class PathCheck extends AccessValue {
  readonly typeName = pathCheckType.name;
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends AccessValue {
  readonly typeName = groupCheckType.name;
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A check of the access to a resource, such as the variable `authorizer.requestResource`. */
export class ResourceCheck extends AccessValue {
  readonly typeName = resourceCheckType.name;
  readonly authorizer: AuthorizerValue;
  readonly checked: CheckedResource;

  constructor(authorizer: AuthorizerValue, checked: CheckedResource) {
    super();
    this.authorizer = authorizer;
    this.checked = checked;
  }

  with(changed: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.checked, ...changed });
  }
}

class Decision extends AccessValue {
  readonly typeName = decisionType.name;
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: { readonly allowed: boolean; readonly reason: string }) {
    super();
    this.allowed = allowed;
    this.reason = reason;
  }
}

function filled(name: string, text: string): string {
  if (text.trim() === '') throw new EvaluationError(`${name} must not be empty`);
  return text;
}

function serviceAccount({ authorize }: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (!isSubdomain(name)) throw new EvaluationError('Invalid service account name');
  const { pattern, length } = nameTexts.label;
  if (!pattern.test(namespace) || namespace.length > length) throw new EvaluationError('Invalid service account namespace');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, groups }, authorize);
}

function groupResource({ authorizer, group }: GroupCheck, resource: string): ResourceCheck {
  return new ResourceCheck(authorizer, { group, resource: filled('resource', resource), subresource: '', namespace: '', name: '' });
}

const [a, p, g, r, d, s] = [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType, stringType];

/**
 * Functions of the variable `authorizer`. Source: Kubernetes documentation "Common Expression Language in Kubernetes", "Kubernetes
 * authorizer library". All expressions may name them, also where there is no such variable. Rules of RBAC name no selectors, so that those of a check decide nothing.
 */
export const authorizerFunctions: Library = {
  path: [method('authorizer_path', [a, s], p, (on: AuthorizerValue, path: string) => new PathCheck(on, filled('path', path)))],
  group: [method('authorizer_group', [a, s], g, (on: AuthorizerValue, group: string) => new GroupCheck(on, group))],
  serviceAccount: [method('authorizer_serviceaccount', [a, s, s], a, serviceAccount)],
  resource: [method('groupcheck_resource', [g, s], r, groupResource)],
  subresource: [method('resourcecheck_subresource', [r, s], r, (on: ResourceCheck, subresource: string) => on.with({ subresource }))],
  namespace: [method('resourcecheck_namespace', [r, s], r, (on: ResourceCheck, namespace: string) => on.with({ namespace }))],
  name: [method('resourcecheck_name', [r, s], r, (on: ResourceCheck, name: string) => on.with({ name }))],
  fieldSelector: [method('authorizer_fieldselector', [r, s], r, (on: ResourceCheck) => on)],
  labelSelector: [method('authorizer_labelselector', [r, s], r, (on: ResourceCheck) => on)],
  check: [
    method(
      'pathcheck_check',
      [p, s],
      d,
      ({ authorizer: on, path }: PathCheck, verb: string) => new Decision(on.authorize(on.user, { verb, path })),
    ),
    method(
      'resourcecheck_check',
      [r, s],
      d,
      ({ authorizer: on, checked }: ResourceCheck, verb: string) => new Decision(on.authorize(on.user, { verb, ...checked })),
    ),
  ],
  allowed: [method('decision_allowed', [d], boolType, ({ allowed }: Decision) => allowed)],
  reason: [method('decision_reason', [d], stringType, ({ reason }: Decision) => reason)],
  errored: [method('decision_errored', [d], boolType, () => false)],
  error: [method('decision_error', [d], stringType, () => '')],
};
