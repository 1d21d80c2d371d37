import { groupOf } from '../../../assembly/identity.js';
import { applySetAnnotations } from '../../../engine/pruners/apply-set.js';
import { type Resource, type ServedResources, unavailableApi } from '../../../kubernetes/index.js';
import type { FieldwiseError } from '../../../util/error.js';

/** The kinds and namespaces in which the members of an ApplySet are. */
export interface ApplySetScope {
  readonly resources: readonly Resource[];
  /** Recorded kinds that the server no longer serves: they have no objects. */
  readonly unserved: readonly string[];
  readonly namespaces: readonly string[];
}

interface ScopeContext {
  readonly served: ServedResources;
  /** The namespace of the parent. */
  readonly namespace: string | undefined;
  readonly server: string;
  readonly fail: (why: string) => FieldwiseError;
}

/** A DNS label. Source: Kubernetes documentation, "Object Names and IDs". */
const namespacePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Reads the record of a parent.
 *
 * @throws FieldwiseError `api-unavailable` if a group with members does not answer, and the error of `fail` for a malformed record.
 */
export function readScope(record: Readonly<Record<string, string>>, context: ScopeContext): ApplySetScope {
  const { groupKinds, groupResources, namespaces } = applySetAnnotations;
  const kinds = record[groupKinds];
  const key = kinds === undefined ? groupResources : groupKinds;
  const text = kinds ?? record[groupResources];
  if (text === undefined) throw context.fail(`it has no annotation ${groupKinds}`);
  const found: Resource[] = [];
  const unserved: string[] = [];
  for (const name of namesIn(text, key, context)) {
    const resource = resourceNamed(name, kinds === undefined ? 'plural' : 'kind', context);
    if (resource === undefined) unserved.push(name);
    else found.push(resource);
  }
  const additional = namesIn(record[namespaces] ?? '', namespaces, context);
  const wrong = additional.find((name) => !namespacePattern.test(name));
  if (wrong !== undefined) throw context.fail(`its annotation ${namespaces} names ${wrong}, which is not a namespace`);
  const inside = context.namespace === undefined ? [] : [context.namespace];
  return { resources: [...new Set(found)], unserved, namespaces: [...new Set([...inside, ...additional])] };
}

/** Returns the names of a list; an empty text is an empty list. */
function namesIn(text: string, key: string, { fail }: ScopeContext): readonly string[] {
  if (text === '') return [];
  const names = text.split(',');
  if (names.includes('')) throw fail(`its annotation ${key} has an empty name`);
  return names;
}

/** Finds `Deployment.apps` by its kind, or `deployments.apps` by its plural. */
function resourceNamed(name: string, by: 'kind' | 'plural', { served, server }: ScopeContext): Resource | undefined {
  const dot = name.indexOf('.');
  const [word, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  const found = served.resources.find((resource) => resource[by] === word && groupOf(resource.apiVersion) === group);
  const silent = served.unavailable.find(({ apiVersion }) => groupOf(apiVersion) === group);
  if (found === undefined && silent !== undefined) throw unavailableApi(server, silent);
  return found;
}

/** Returns the kinds and namespaces of members as a parent records them. */
export function recordOf(
  members: readonly { readonly apiVersion: string; readonly kind: string; readonly namespace?: string | undefined }[],
  namespace: string | undefined,
) {
  const kindOf = ({ apiVersion, kind }: (typeof members)[number]) => (groupOf(apiVersion) === '' ? kind : `${kind}.${groupOf(apiVersion)}`);
  const others = members.flatMap((member) => (member.namespace === undefined || member.namespace === namespace ? [] : [member.namespace]));
  const list = (names: readonly string[]) => [...new Set(names)].sort().join(',');
  return { groupKinds: list(members.map(kindOf)), namespaces: list(others) };
}
