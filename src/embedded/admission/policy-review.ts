import { decide, NotKnownError, type ParamStore, type PolicyDecision, type PolicySurroundings } from '../../policies/index.js';
import { groupOf } from '../../util/api-version.js';
import type { JsonObject } from '../../util/json.js';
import { ConversionNeeded } from '../conversion/conversions.js';
import type { Backend, RequestTarget } from '../registry/backend.js';
import { boundPoliciesOf, equivalentsOf, paramStoreOf, versionedIn } from './policy-dispatcher.js';
import type { ReviewedWrite } from './reviewed-write.js';

/**
 * Lets the stored policies decide on a write that nobody sends: the user and what that user may do are not known, and Namespaces and
 * parameters only if they are stored.
 */
export function reviewWrite(backend: Backend, write: ReviewedWrite): PolicyDecision {
  const { operation, apiVersion, kind, namespace, name, object, oldObject, manager } = write;
  const policies = boundPoliciesOf(backend);
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
      options: {
        kind: optionsKinds[operation],
        apiVersion: 'meta.k8s.io/v1',
        ...(operation === 'DELETE' ? {} : { fieldManager: manager }),
      },
      dryRun: false,
    },
    surroundingsOf(backend, target),
  );
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' };

function surroundingsOf(backend: Backend, target: RequestTarget): PolicySurroundings {
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
    inVersion: (object, version) => known(() => versionedIn(target)(object, version)),
    namespace: (name) => backend.store.get({ resource: '/namespaces', namespace: '', name }) ?? notKnown(`Namespace ${name}`),
    params: ({ apiVersion, kind }): ParamStore => {
      const store = paramStoreOf(backend, { apiVersion, kind }) ?? notKnown(`the definition of kind ${kind} in ${apiVersion}`);
      return {
        ...store,
        isComplete: false,
        get: (namespace, name) => known(() => store.get(namespace, name)),
        list: (namespace) => known(() => store.list(namespace)),
      };
    },
    user: () => notKnown('request.userInfo'),
    authorizer: () => notKnown('authorizer'),
  };
}
