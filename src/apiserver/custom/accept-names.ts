import { nameOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';

/** The names of a custom resource. Source: Kubernetes API reference, CustomResourceDefinitionNames. */
export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface NamesAcceptance {
  /** The accepted names, for `status.acceptedNames`. */
  readonly names: JsonObject;
  /** Absent if all names are accepted. */
  readonly conflict?: { readonly reason: string; readonly message: string };
}

/** Returns the names of a definition, with the defaults of the server. */
export function namesOf(crd: JsonObject): CrdNames {
  const { names } = crd.spec as { names: JsonObject };
  const kind = String(names.kind);
  return {
    plural: String(names.plural),
    singular: String(names.singular || kind.toLowerCase()),
    kind,
    listKind: String(names.listKind || `${kind}List`),
    shortNames: strings(names.shortNames),
    categories: strings(names.categories),
  };
}

/**
 * Decides which names of a definition are accepted: a name that an earlier definition of the group uses is not. Reasons and order as
 * observed.
 */
export function acceptNames(crd: JsonObject, others: readonly JsonObject[]): NamesAcceptance {
  const requested = namesOf(crd);
  const { group } = crd.spec as { group: string };
  const taken = others
    .filter((other) => (other.spec as JsonObject).group === group && nameOf(other) !== nameOf(crd))
    .map((other) => (isJsonObject(other.status) && isJsonObject(other.status.acceptedNames) ? other.status.acceptedNames : {}));
  const resources = new Set(taken.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...strings(shortNames)]));
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]));
  const conflicts: { reason: string; message: string }[] = [];
  const free = (reason: string, names: readonly string[], pool: ReadonlySet<Json | undefined>): boolean => {
    const used = names.filter((name) => pool.has(name)).map((name) => `${JSON.stringify(name)} is already in use`);
    if (used.length > 0) conflicts.push({ reason, message: used.length === 1 ? String(used[0]) : `[${used.join(', ')}]` });
    return used.length === 0;
  };
  const names: JsonObject = {
    plural: free('PluralConflict', [requested.plural], resources) ? requested.plural : '',
    ...(free('SingularConflict', [requested.singular], resources) ? { singular: requested.singular } : {}),
    ...(free('ShortNamesConflict', requested.shortNames, resources) && requested.shortNames.length > 0
      ? { shortNames: requested.shortNames }
      : {}),
    kind: free('KindConflict', [requested.kind], kinds) ? requested.kind : '',
    ...(free('ListKindConflict', [requested.listKind], kinds) ? { listKind: requested.listKind } : {}),
    ...(requested.categories.length > 0 ? { categories: requested.categories } : {}),
  };
  const conflict = conflicts.at(-1);
  return conflict === undefined ? { names } : { names, conflict };
}

function strings(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as Json[]).filter((item): item is string => typeof item === 'string') : [];
}
