import { groupOf } from '../../assembly/identity.js';
import { fetchCrd } from '../../engine/addresses/fetch-crd.js';
import { isCrd } from '../../engine/addresses/wait-for-established.js';
import { isBuiltInGroup } from '../../engine/client-side-apply/built-in-types.js';
import { ServerTypes } from '../../engine/client-side-apply/server-types.js';
import type { Step } from '../../engine/graph/waves.js';
import { uidOf } from '../../fields/object.js';
import type { ClusterClient, Resource } from '../../kubernetes/index.js';
import { type RootType, readCrd } from '../../schema/index.js';
import { FieldwiseError } from '../../util/error.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** A kind, as far as a guard needs it. */
export interface GuardedKind {
  readonly resource: Pick<Resource, 'apiVersion' | 'kind' | 'plural'>;
  /** Undefined if neither the server nor the program describes the kind. */
  readonly root: RootType | undefined;
  /** Subresources through which the whole object is written. */
  readonly subresources: readonly string[];
  /** The path of the replicas that the scale subresource writes, such as `.spec.replicas`; absent without one. */
  readonly replicas?: string;
  /** Set if the definition of the kind cannot be read, so that its scale subresource is unknown. */
  readonly isDefinitionUnread?: true;
}

/** Reads kinds from the server, or from a CustomResourceDefinition of the program, once each. */
export class GuardedKinds {
  readonly #cluster: ClusterClient;
  readonly #types = new ServerTypes();
  readonly #known = new Map<string, Promise<GuardedKind>>();
  /** The definitions of the program, by group and kind. */
  readonly #declared = new Map<string, JsonObject>();

  constructor(cluster: ClusterClient, steps: readonly Step[]) {
    this.#cluster = cluster;
    for (const { intent, object } of steps) {
      const { group, names } = isCrd(intent) && isJsonObject(object.spec) ? object.spec : {};
      if (isJsonObject(names)) this.#declared.set(`${String(group)}/${String(names.kind)}`, object);
    }
  }

  /** @throws FieldwiseError `kind-unknown` if neither the server nor the program defines the kind. */
  of({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>): Promise<GuardedKind> {
    const key = `${apiVersion} ${kind}`;
    const known = this.#known.get(key) ?? this.#read(apiVersion, kind);
    this.#known.set(key, known);
    return known;
  }

  async #read(apiVersion: string, kind: string): Promise<GuardedKind> {
    const declared = this.#declared.get(`${groupOf(apiVersion)}/${kind}`);
    const served = await this.#served(apiVersion, kind, declared !== undefined);
    if (isBuiltInGroup(apiVersion) && served !== undefined) {
      return builtInKind(served, await this.#types.get(this.#cluster, served));
    }
    // The definition of the program is the one that its objects will have.
    const crd = declared ?? (served && (await fetchCrd(this.#cluster, served)));
    const root = crd === undefined ? undefined : rootIn(crd, apiVersion);
    const resource = served ?? { apiVersion, kind, plural: root?.resource ?? `${kind.toLowerCase()}s` };
    const replicas = crd && replicasPath(crd, apiVersion);
    return {
      resource,
      root,
      subresources: root === undefined || root.subresources?.includes('status') ? ['status'] : [],
      ...(replicas === undefined ? {} : { replicas }),
      ...(crd === undefined || (crd !== declared && uidOf(crd) === '') ? { isDefinitionUnread: true } : {}),
    };
  }

  async #served(apiVersion: string, kind: string, isDeclared: boolean): Promise<Resource | undefined> {
    try {
      return await this.#cluster.resourceOf(apiVersion, kind);
    } catch (error) {
      if (isDeclared && error instanceof FieldwiseError && error.code === 'kind-unknown') return undefined;
      throw error;
    }
  }
}

/** Subresources of built-in kinds, besides `status`, that write the object itself. Source: Kubernetes API reference. */
const wholeObjectSubresources: Readonly<Record<string, readonly string[]>> = {
  'v1 Pod': ['ephemeralcontainers', 'resize'],
  'v1 Namespace': ['finalize'],
  'certificates.k8s.io/v1 CertificateSigningRequest': ['approval'],
};

/** Built-in kinds with a scale subresource. Source: Kubernetes API reference. */
const scalable = new Set(['v1 ReplicationController', 'apps/v1 Deployment', 'apps/v1 ReplicaSet', 'apps/v1 StatefulSet']);

function builtInKind(resource: Resource, root: RootType | undefined): GuardedKind {
  const key = `${resource.apiVersion} ${resource.kind}`;
  const status = root?.subresources?.includes('status') ? ['status'] : [];
  return {
    resource,
    root,
    subresources: [...status, ...(wholeObjectSubresources[key] ?? [])],
    ...(scalable.has(key) ? { replicas: '.spec.replicas' } : {}),
  };
}

/** Returns the type in a CustomResourceDefinition; undefined where it has no such version, or cannot be read. */
function rootIn(crd: JsonObject, apiVersion: string): RootType | undefined {
  try {
    return readCrd(crd).roots.find((root) => root.apiVersion === apiVersion);
  } catch (error) {
    if (error instanceof FieldwiseError && error.kind === 'usage') return undefined;
    throw error;
  }
}

function replicasPath({ spec }: JsonObject, apiVersion: string): string | undefined {
  const versions = isJsonObject(spec) && Array.isArray(spec.versions) ? (spec.versions as readonly Json[]) : [];
  const name = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const version = versions.find((item): item is JsonObject => isJsonObject(item) && item.name === name);
  const { scale } = isJsonObject(version?.subresources) ? version.subresources : {};
  const path = isJsonObject(scale) ? scale.specReplicasPath : undefined;
  return typeof path === 'string' ? path : undefined;
}
