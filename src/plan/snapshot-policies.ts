import { groupOf } from '../assembly/identity.js';
import { resourceIfServed } from '../engine/addresses/address.js';
import { fetchCrd, undefinedIfRefused } from '../engine/addresses/fetch-crd.js';
import { admissionGroup } from '../engine/apply/skip/observers/admission-kinds.js';
import { forEachConcurrent } from '../engine/run/for-each-concurrent.js';
import { isSecret, nameOf } from '../fields/object.js';
import { type ClusterClient, isForbidden, type Resource } from '../kubernetes/index.js';
import { withoutManagedFields } from '../ownership/index.js';
import { isBuiltIn } from '../schema/index.js';
import { isJsonObject, isList, type Json, type JsonObject } from '../util/json.js';

/** The ValidatingAdmissionPolicies of a cluster that have bindings, as a snapshot has them. */
export interface SnapshotPolicies {
  /** Policies, their bindings, parameters of these, and definitions of the parameters. */
  readonly objects: readonly JsonObject[];
  /** The bindings whose parameters were read, with the namespace: parameters that are not among the objects do not exist. */
  readonly params: readonly ReadParams[];
  /** The resource that these credentials may not list: the policies are unknown then. */
  readonly forbidden?: string;
}

/** The parameters of a binding in a namespace; the namespace is empty for parameters without one. */
export interface ReadParams {
  readonly binding: string;
  readonly namespace: string;
}

/**
 * Reads the policies of a cluster and what they read. A parameter is left out that is a Secret, that the server does not give, or that `isOpen`
 * refuses.
 *
 * @param namespaces those of the objects that are planned.
 * @param isOpen returns false for an object that repeats a value of a Secret.
 */
export async function readPolicies(
  cluster: ClusterClient,
  namespaces: ReadonlySet<string>,
  concurrency: number,
  isOpen: (object: JsonObject) => boolean,
): Promise<SnapshotPolicies> {
  const found = await Promise.all(
    ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(async (kind) => {
      const resource = await resourceIfServed(cluster, `${admissionGroup}/v1`, kind);
      return { resource, items: resource ? await unlessForbidden(() => listed(cluster, resource, {})) : [] };
    }),
  );
  const unread = found.find(({ items }) => items === undefined);
  if (unread?.resource) return { objects: [], params: [], forbidden: unread.resource.plural };
  const [policies = [], bindings = []] = found.map(({ items }) => items);
  const byName = new Map(policies.map((policy) => [nameOf(policy), policy]));
  const bound = bindings.filter((binding) => byName.has(policyNameOf(binding)));
  const reader = new ParamReader(cluster, namespaces, isOpen);
  await forEachConcurrent(bound, concurrency, async (binding) => {
    const { paramKind } = memberOf(byName.get(policyNameOf(binding)), 'spec');
    if (isJsonObject(paramKind)) await reader.read(binding, { apiVersion: String(paramKind.apiVersion), kind: String(paramKind.kind) });
  });
  const used = new Set(bound.map(policyNameOf));
  const objects = [...policies.filter((policy) => used.has(nameOf(policy))), ...bound].map(withoutManagedFields);
  return { objects: [...reader.objects, ...objects], params: reader.params };
}

interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Reads the parameters of bindings, each once. */
class ParamReader {
  readonly params: ReadParams[] = [];
  readonly #cluster: ClusterClient;
  readonly #namespaces: ReadonlySet<string>;
  readonly #isOpen: (object: JsonObject) => boolean;
  readonly #objects = new Map<string, JsonObject>();
  readonly #definitions = new Map<string, Promise<JsonObject | undefined>>();

  constructor(cluster: ClusterClient, namespaces: ReadonlySet<string>, isOpen: (object: JsonObject) => boolean) {
    this.#cluster = cluster;
    this.#namespaces = namespaces;
    this.#isOpen = isOpen;
  }

  get objects(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  async read(binding: JsonObject, { apiVersion, kind }: ParamKind): Promise<void> {
    const paramRef = memberOf(binding, 'spec').paramRef;
    if (!isJsonObject(paramRef) || isSecret({ apiVersion, kind })) return;
    const resource = await resourceIfServed(this.#cluster, apiVersion, kind);
    if (resource === undefined) return;
    await this.#addDefinition(resource);
    const { namespace } = paramRef;
    const own = typeof namespace === 'string' && namespace !== '' ? [namespace] : [...this.#namespaces];
    for (const each of resource.namespaced ? own : ['']) {
      // The parameters of one policy must not end the snapshot.
      const found = await undefinedIfRefused(() => paramsOf(this.#cluster, resource, each, paramRef));
      if (found === undefined || !found.every(this.#isOpen)) continue;
      this.params.push({ binding: nameOf(binding), namespace: each });
      for (const object of found) this.#objects.set(`${apiVersion} ${kind} ${each} ${nameOf(object)}`, withoutManagedFields(object));
    }
  }

  async #addDefinition(resource: Resource): Promise<void> {
    if (isBuiltIn(resource.apiVersion)) return;
    const name = `${resource.plural}.${groupOf(resource.apiVersion)}`;
    const definition = this.#definitions.get(name) ?? fetchCrd(this.#cluster, resource);
    this.#definitions.set(name, definition);
    const object = await definition;
    if (object) this.#objects.set(name, withoutManagedFields(object));
  }
}

/** Returns the parameters that a reference names or selects in a namespace. */
async function paramsOf(
  cluster: ClusterClient,
  resource: Resource,
  namespace: string,
  { name, selector }: JsonObject,
): Promise<readonly JsonObject[]> {
  const scope = namespace === '' ? {} : { namespace };
  if (typeof name !== 'string' || name === '') return listed(cluster, resource, { ...scope, labelSelector: selectorText(selector) });
  const object = await cluster.tryGet({ resource, name, ...scope });
  return object === undefined ? [] : [object];
}

/** Lists objects with their kind, which items of a list may lack. */
async function listed(
  cluster: ClusterClient,
  resource: Resource,
  options: Parameters<ClusterClient['list']>[1],
): Promise<readonly JsonObject[]> {
  const { apiVersion, kind } = resource;
  return (await cluster.list(resource, options)).map((item) => ({ ...item, apiVersion, kind }));
}

/** Formats a LabelSelector as a query has it. Source: Kubernetes documentation "Labels and Selectors". */
function selectorText(selector: Json | undefined): string {
  const { matchLabels, matchExpressions } = isJsonObject(selector) ? selector : {};
  const labels = Object.entries(isJsonObject(matchLabels) ? matchLabels : {}).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = isList(matchExpressions) ? matchExpressions.filter(isJsonObject) : [];
  const texts = expressions.map(({ key, operator, values }) => {
    if (operator === 'Exists') return String(key);
    if (operator === 'DoesNotExist') return `!${String(key)}`;
    return `${String(key)} ${operator === 'In' ? 'in' : 'notin'} (${isList(values) ? values.map(String).join(',') : ''})`;
  });
  return [...labels, ...texts].join(',');
}

function policyNameOf(binding: JsonObject): string {
  return String(memberOf(binding, 'spec').policyName);
}

function memberOf(object: JsonObject | undefined, name: string): JsonObject {
  const member = object?.[name];
  return isJsonObject(member) ? member : {};
}

async function unlessForbidden<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Returns true for what a snapshot may have as its policies. */
export function isSnapshotPolicies(value: Json | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { objects, params, forbidden } = value;
  const isRead = (each: Json) => isJsonObject(each) && typeof each.binding === 'string' && typeof each.namespace === 'string';
  return (
    isList(objects) &&
    objects.every((each) => isJsonObject(each) && isJsonObject(each.metadata) && typeof each.metadata.name === 'string') &&
    isList(params) &&
    params.every(isRead) &&
    (forbidden === undefined || typeof forbidden === 'string')
  );
}
