import type { LiveGuard } from '../../engine/guards/guard-manifest.js';
import { nameOf } from '../../fields/object.js';
import { isContainer, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../util/json.js';

/** Fields of an object. */
export interface ObjectFields {
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Paths such as `.data.color`. */
  readonly fields: readonly string[];
}

/** The objects of the guard of one stack, as they are in the cluster, by kind. */
export type GuardObjects = Readonly<Record<GuardKind, readonly JsonObject[]>>;

export type GuardKind = 'ValidatingAdmissionPolicy' | 'ValidatingAdmissionPolicyBinding';

/** Returns the bindings without which policies of a guard have no effect. */
export function missingBindings(live: GuardObjects): readonly ObjectFields[] {
  const bound = new Set(live.ValidatingAdmissionPolicyBinding.map(nameOf));
  const unbound = live.ValidatingAdmissionPolicy.map(nameOf).filter((name) => !bound.has(name));
  return unbound.map((name) => ({ object: `ValidatingAdmissionPolicyBinding ${name}`, fields: [] }));
}

/**
 * Returns the policies and bindings of a guard that decide otherwise than those printed for the same deployers, with the fields that differ, and
 * those that are missing. Texts for people are not compared.
 *
 * @param printedFor returns what is printed for the deployers of a guard.
 */
export async function alteredObjects(
  live: GuardObjects,
  guards: readonly LiveGuard[],
  printedFor: (guard: LiveGuard) => Promise<readonly JsonObject[]>,
): Promise<readonly ObjectFields[]> {
  const altered = new Map<string, ObjectFields>();
  for (const guard of guards) {
    for (const printed of await printedFor(guard)) {
      const object = `${String(printed.kind)} ${nameOf(printed)}`;
      const found = live[printed.kind as GuardKind].find((one) => nameOf(one) === nameOf(printed));
      const fields = found && nameOf(found) === guard.policy ? differing(printed, found) : [];
      if (!found || fields.length > 0) altered.set(object, { object, fields });
    }
  }
  return [...altered.values()];
}

/** Returns the members of the spec that differ. */
function differing(printed: JsonObject, found: JsonObject): readonly string[] {
  const [wanted, live] = [decisive(printed.spec), decisive(found.spec)];
  const isSame = (name: string) => (name === 'validationActions' ? hasActions : jsonEqual)(wanted[name], live[name]);
  return [...new Set([...Object.keys(wanted), ...Object.keys(live)])].filter((name) => !isSame(name)).map((name) => `.spec.${name}`);
}

/** A guard that denies need not warn. */
function hasActions(wanted: Json | undefined, live: Json | undefined): boolean {
  const actions = Array.isArray(live) ? live : [];
  return Array.isArray(wanted) && wanted.every((action) => actions.includes(action) || (action === 'Warn' && actions.includes('Deny')));
}

/** Returns what decides of the spec of a policy or a binding: without the texts for people, and without what is the default or empty. */
function decisive(spec: Json | undefined): JsonObject {
  const { auditAnnotations: _, validations, ...others } = isJsonObject(spec) ? spec : {};
  const expressions = Array.isArray(validations)
    ? { validations: validations.map((one) => (isJsonObject(one) ? (one.expression ?? '') : one)) }
    : {};
  return withoutDefaults({ ...others, ...expressions }) as JsonObject;
}

/** Source: Kubernetes API reference, ValidatingAdmissionPolicy v1. */
const defaults: JsonObject = { failurePolicy: 'Fail', matchPolicy: 'Equivalent', scope: '*' };

function withoutDefaults(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const own = member === undefined ? undefined : withoutDefaults(member);
    const isEmpty = own === undefined || (isContainer(own) && Object.keys(own).length === 0);
    return isEmpty || own === defaults[name] ? [] : [[name, own] as const];
  });
  return Object.fromEntries(members);
}
