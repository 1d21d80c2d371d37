import type { Json, JsonObject } from '../../util/json.js';

/** A rule of a Role or ClusterRole. Source: Kubernetes API reference, PolicyRule v1 rbac.authorization.k8s.io. */
export type PolicyRule = JsonObject;

/** The order of verbs in a rule. */
const verbOrder = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'bind', 'escalate'];

/** Collects rights verb by verb, for one namespace or for the whole cluster, and combines them into as few rules as possible. */
export class Grants {
  /** The verbs, by group and resource, then by object name (empty for any). */
  readonly #verbs = new Map<string, Map<string, Set<string>>>();
  /** Complete rules, by their text. */
  readonly #whole = new Map<string, PolicyRule>();

  /** @param name the name of one object; undefined for all objects of the resource. */
  add(group: string, resource: string, name: string | undefined, verbs: readonly string[]): void {
    if (verbs.length === 0) return;
    const key = `${group}/${resource}`;
    const names = this.#verbs.get(key) ?? new Map<string, Set<string>>();
    this.#verbs.set(key, names);
    const known = names.get(name ?? '') ?? new Set<string>();
    names.set(name ?? '', known);
    for (const verb of verbs) known.add(verb);
  }

  addRule(rule: PolicyRule): void {
    this.#whole.set(JSON.stringify(rule), rule);
  }

  /** Returns the rules in the order of groups, resources and names; objects of a resource with the same verbs share one rule. */
  rules(): readonly PolicyRule[] {
    const keys = [...this.#verbs.keys()].sort();
    const own = keys.flatMap((key) => {
      const [group, resource] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
      return rulesOf(this.#verbs.get(key) as ReadonlyMap<string, ReadonlySet<string>>).map(({ names, verbs }) => ({
        apiGroups: [group],
        resources: [resource],
        ...(names.length > 0 ? { resourceNames: names } : {}),
        verbs,
      }));
    });
    return [...own, ...[...this.#whole.keys()].sort().map((text) => this.#whole.get(text) as PolicyRule)];
  }
}

function rulesOf(byName: ReadonlyMap<string, ReadonlySet<string>>): { names: string[]; verbs: readonly Json[] }[] {
  const everywhere = byName.get('') ?? new Set<string>();
  const namesByVerbs = new Map<string, string[]>();
  for (const name of [...byName.keys()].sort()) {
    const verbs = verbOrder.filter((verb) => byName.get(name)?.has(verb) && (name === '' || !everywhere.has(verb)));
    if (verbs.length === 0) continue;
    const key = verbs.join(' ');
    namesByVerbs.set(key, [...(namesByVerbs.get(key) ?? []), ...(name === '' ? [] : [name])]);
  }
  return [...namesByVerbs].map(([key, names]) => ({ names, verbs: key.split(' ') }));
}
