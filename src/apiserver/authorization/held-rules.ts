import { coversPath, type PolicyRule } from './policy-rules.js';

interface HeldRule {
  readonly verbs: ReadonlySet<string>;
  readonly apiGroups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly resourceNames: ReadonlySet<string>;
}

/** One permission for a resource; `name` is undefined for all objects. */
interface Permission {
  readonly verb: string;
  readonly apiGroup: string;
  readonly name: string | undefined;
}

/** The rules that a user holds, to be asked for many permissions: a user may hold as many rules as fit into roles. */
export class HeldRules {
  readonly #byResource = new Map<string, HeldRule[]>();
  readonly #byPath = new Map<string, HeldRule[]>();
  /** Paths that end with `*`. */
  readonly #patterns = new Map<string, HeldRule[]>();

  constructor(rules: readonly PolicyRule[]) {
    for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
      const [verbSet, groupSet, resourceSet, nameSet] = [verbs, apiGroups, resources, resourceNames].map((list) => new Set(list)) as [
        Set<string>,
        Set<string>,
        Set<string>,
        Set<string>,
      ];
      const held = { verbs: verbSet, apiGroups: groupSet, resources: resourceSet, resourceNames: nameSet };
      for (const resource of resourceSet) add(this.#byResource, resource, held);
      for (const path of new Set(nonResourceURLs)) add(path.endsWith('*') ? this.#patterns : this.#byPath, path, held);
    }
  }

  /** Returns true if every permission that a rule grants is granted by one of the held rules. */
  cover(rule: PolicyRule): boolean {
    return rule.nonResourceURLs.every((path) => this.#coverPath(rule, path)) && (this.#oneCovers(rule) || this.#coverEach(rule));
  }

  #coverPath({ verbs }: PolicyRule, path: string): boolean {
    const patterns = [...this.#patterns].flatMap(([pattern, rules]) => (coversPath(pattern, path) ? rules : []));
    const rules = [...(this.#byPath.get(path) ?? []), ...patterns];
    return verbs.every((verb) => rules.some((rule) => includes(rule.verbs, verb)));
  }

  /** Returns true if one held rule grants all of a rule: the usual case, and much faster than asking for each permission. */
  #oneCovers({ verbs, apiGroups, resources, resourceNames }: PolicyRule): boolean {
    return this.#rulesFor(resources[0] ?? '').some(
      (held) =>
        resources.every((resource) => resourceWords(resource).some((word) => held.resources.has(word))) &&
        verbs.every((verb) => includes(held.verbs, verb)) &&
        apiGroups.every((apiGroup) => includes(held.apiGroups, apiGroup)) &&
        (held.resourceNames.size === 0 || (resourceNames.length > 0 && resourceNames.every((name) => held.resourceNames.has(name)))),
    );
  }

  #coverEach({ verbs, apiGroups, resources, resourceNames }: PolicyRule): boolean {
    const names = resourceNames.length === 0 ? [undefined] : resourceNames;
    return resources.every((resource) => {
      const rules = this.#rulesFor(resource);
      return apiGroups.every((apiGroup) =>
        verbs.every((verb) => names.every((name) => rules.some((held) => grants(held, { verb, apiGroup, name })))),
      );
    });
  }

  #rulesFor(resource: string): readonly HeldRule[] {
    return resourceWords(resource).flatMap((word) => this.#byResource.get(word) ?? []);
  }
}

function add(rules: Map<string, HeldRule[]>, key: string, rule: HeldRule): void {
  const known = rules.get(key);
  if (known === undefined) rules.set(key, [rule]);
  else known.push(rule);
}

/** Returns the words by which a rule names a resource: itself, all, and all of its subresource. */
function resourceWords(resource: string): readonly string[] {
  return [...new Set([resource, '*', `*/${resource.split('/')[1]}`])];
}

function includes(list: ReadonlySet<string>, word: string): boolean {
  return list.has('*') || list.has(word);
}

function grants(held: HeldRule, { verb, apiGroup, name }: Permission): boolean {
  if (!includes(held.verbs, verb) || !includes(held.apiGroups, apiGroup)) return false;
  return held.resourceNames.size === 0 || (name !== undefined && held.resourceNames.has(name));
}
