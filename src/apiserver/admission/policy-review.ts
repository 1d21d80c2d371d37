import { isSecret, metadataOf, nameOf } from '../../fields/object.js';
import { groupOf } from '../../util/api-version.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { masked } from '../../util/masked.js';
import { ConversionNeeded } from '../conversion/conversions.js';
import {
  type BoundPolicy,
  decide,
  NotKnownError,
  type ParamStore,
  type PolicyDecision,
  type PolicySurroundings,
} from '../policies/index.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import type { ReviewedWrite } from '../registry/reviewed-write.js';
import { boundPoliciesOf, paramStoreOf } from './policy-dispatcher.js';
import { equivalentsOf, versionedIn } from './policy-request.js';

/**
 * Returns a function that lets the stored policies decide on writes that nobody sends: the user and what that user may do are not known, and
 * Namespaces and parameters only if they are stored.
 */
export function policyReviewer(backend: Backend, isComplete: ParamStore['isComplete']): (write: ReviewedWrite) => PolicyDecision {
  const reviewer = { policies: boundPoliciesOf(backend), isComplete };
  return (write) => reviewWrite(backend, reviewer, write);
}

interface Reviewer extends Pick<ParamStore, 'isComplete'> {
  readonly policies: readonly BoundPolicy[];
}

function reviewWrite(backend: Backend, { policies, isComplete }: Reviewer, write: ReviewedWrite): PolicyDecision {
  const { operation, apiVersion, kind, namespace, name, manager } = write;
  const [object, oldObject] = write.hidesValues
    ? [withHiddenValues(write.object), withHiddenValues(write.oldObject)]
    : [write.object, write.oldObject];
  const resource = backend.catalog.all().find((each) => each.kind === kind && each.group === groupOf(apiVersion));
  const version = resource && [...resource.versions.values()].find((each) => each.apiVersion === apiVersion);
  if (resource === undefined || version === undefined) {
    const reads = `the definition of kind ${kind} in ${apiVersion}`;
    const named = policies.map(({ policy }) => String((policy.metadata as JsonObject).name));
    return { findings: [], annotations: new Map(), notEvaluated: named.map((policy) => ({ policy, binding: undefined, reads })) };
  }
  const target: RequestTarget = { resource, version, namespace, name, subresource: undefined, warnings: [] };
  const isNamespace = resource.group === '' && kind === 'Namespace';
  const own = { group: resource.group, version: version.name, kind };
  return decide(
    policies,
    {
      operation,
      resource: { ...own, resource: resource.plural },
      equivalents: equivalentsOf(backend, target),
      subresource: '',
      kind: own,
      namespace: isNamespace ? name : (namespace ?? ''),
      name,
      object,
      oldObject,
      options: optionsOf(operation, manager),
      dryRun: false,
    },
    surroundingsOf(backend, target, operation, isComplete),
  );
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' };

/** Returns the options of a request. A deploy deletes with preconditions and a policy of propagation, which only the request has. */
function optionsOf(operation: keyof typeof optionsKinds, manager: string): JsonObject {
  const options = { kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' };
  if (operation !== 'DELETE') return { ...options, fieldManager: manager };
  return withUnknown(options, 'request.options', ['preconditions', 'propagationPolicy']);
}

/** Returns a new object whose resourceVersion cannot be read: a deploy sends one where the object must not exist, and a server adds its own. */
function withoutKnownVersion(object: JsonObject): JsonObject {
  return { ...object, metadata: withUnknown(metadataOf(object), 'object.metadata', ['resourceVersion']) };
}

/** Returns an object with members that cannot be read. */
function withUnknown(object: JsonObject, path: string, names: readonly string[]): JsonObject {
  const unknown = Object.fromEntries(names.map((name) => [name, unreadable(`${path}.${name}`)]));
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(object), ...unknown });
}

/** A member that nobody can read: it is what `reads` says. */
function unreadable(reads: string): PropertyDescriptor {
  const get = (): never => {
    throw new NotKnownError(reads);
  };
  return { get, enumerable: true };
}

function surroundingsOf(
  backend: Backend,
  target: RequestTarget,
  operation: ReviewedWrite['operation'],
  isComplete: ParamStore['isComplete'],
): PolicySurroundings {
  const notKnown = (reads: string): never => {
    throw new NotKnownError(reads);
  };
  const known = <Value>(read: () => Value): Value => {
    try {
      return read();
    } catch (error) {
      if (error instanceof ConversionNeeded) return notKnown(`an object in ${error.apiVersion}, to which a webhook converts it`);
      throw error;
    }
  };
  return {
    inVersion: (object, version) => {
      const shown = known(() => versionedIn(target)(object, version));
      // A creation has no other object than the new one.
      return operation === 'CREATE' ? withoutKnownVersion(shown) : shown;
    },
    namespace: (name) => backend.store.get({ resource: '/namespaces', namespace: '', name }) ?? notKnown(`Namespace ${name}`),
    params: ({ apiVersion, kind }): ParamStore => {
      const store = paramStoreOf(backend, { apiVersion, kind }) ?? notKnown(`the definition of kind ${kind} in ${apiVersion}`);
      return {
        ...store,
        isComplete,
        get: (namespace, name) => known(() => store.get(namespace, name)),
        list: (namespace) => known(() => store.list(namespace)),
      };
    },
    user: () => notKnown('request.userInfo'),
    authorizer: () => notKnown('authorizer'),
  };
}

/** Returns an object with the values and annotations of a Secret, and values that are masked, unknown: an expression that reads one is not evaluated. */
function withHiddenValues(object: JsonObject | null): JsonObject | null {
  if (object === null) return object;
  const of = `${String(object.kind)} ${nameOf(object)}`;
  if (!isSecret(object)) return withHidden(object, isMasked, `a value of ${of} that is masked`) as JsonObject;
  const { data, stringData } = object;
  const { annotations } = metadataOf(object);
  const hidden = (members: JsonObject) => withHidden(members, () => true, `values of ${of}`);
  return {
    ...object,
    metadata: { ...metadataOf(object), ...(isJsonObject(annotations) ? { annotations: hidden(annotations) } : {}) },
    ...(isJsonObject(data) ? { data: hidden(data) } : {}),
    ...(isJsonObject(stringData) ? { stringData: hidden(stringData) } : {}),
  };
}

function isMasked(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes(masked);
}

/** Returns a copy of a value in which some members, however deep, cannot be read: they are what `reads` says. */
function withHidden(value: Json | undefined, isHidden: (member: Json | undefined) => boolean, reads: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  const properties = Object.entries(value).map(([name, member]): [string, PropertyDescriptor] => {
    return [name, isHidden(member) ? unreadable(reads) : { value: withHidden(member, isHidden, reads), enumerable: true }];
  });
  return Object.defineProperties(Array.isArray(value) ? [] : {}, Object.fromEntries(properties));
}
