import { metadataOf, nameOf } from '../../../fields/object.js';
import type { Json, JsonObject } from '../../../util/json.js';
import { structOf } from '../../api/json-access.js';
import { controllerReference } from './controller-context.js';

/** The letters and digits of a hash: none that could form a word. Source: Kubernetes documentation "Deployments", "Pod-template-hash label". */
const safe = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Returns the hash of a pod template, or of what a revision holds. It has the form of the hash of a kube-controller-manager, and another
 * value.
 */
export function hashOf(value: Json, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const character of `${canonical(value)}${collisions === 0 ? '' : collisions}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return [...String(hash)].map((digit) => safe[digit.charCodeAt(0) % safe.length]).join('');
}

/** Returns a value as text, with the members of objects in the order of their names. */
export function canonical(value: Json): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}

/** The members of a new pod that its workload sets. */
export interface PodIdentity {
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** Returns the pod that a workload creates of its template. */
export function podFrom(workload: JsonObject, template: JsonObject, identity: PodIdentity): JsonObject {
  const {
    labels,
    annotations,
    finalizers = [],
  } = structOf(template.metadata) as { labels?: JsonObject; annotations?: JsonObject; finalizers?: [] };
  const all = {
    labels: { ...labels, ...identity.labels },
    annotations: { ...annotations, ...identity.annotations },
    finalizers: [...finalizers, ...(identity.finalizers ?? [])],
  };
  return {
    metadata: {
      ...(identity.name === undefined ? {} : { name: identity.name }),
      generateName: identity.generateName ?? `${nameOf(workload)}-`,
      namespace: metadataOf(workload).namespace,
      ...Object.fromEntries(Object.entries(all).filter(([, value]) => Object.keys(value).length > 0)),
      ownerReferences: [controllerReference(workload)],
    },
    spec: structOf(template.spec),
  };
}
