import { metadataOf } from '../../fields/object.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { labelOf } from '../inventory/stack-identity.js';

/** The label of the policies and bindings of a guard: its value stands for the field manager of the stack. */
export const guardLabel = 'fieldwise.dev/guard';

/** The annotation of a binding that says, as JSON, what its policy guards. */
export const guardAnnotation = 'fieldwise.dev/guard';

/** The fields of objects that a policy of a guard keeps for the deployer of a stack. */
export interface Guard {
  /** The field manager of the stack. */
  readonly manager: string;
  /** Whoever may change the fields: `alice`, `group:NAME`, `sa:NAMESPACE/NAME`. */
  readonly subjects: readonly string[];
  /** The guard was printed to deny, not to warn. */
  readonly deny?: true;
  readonly group: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly objects: readonly GuardedObjects[];
}

/** Objects of which the same fields are guarded. */
export interface GuardedObjects {
  readonly names: readonly string[];
  /** Paths such as `.spec.replicas`. */
  readonly fields: readonly string[];
}

/** A guard as it is in a cluster. */
export interface LiveGuard extends Guard {
  /** The name of the policy and of its binding. */
  readonly policy: string;
  /** False if the guard only warns or records. */
  readonly denies: boolean;
}

/** Returns the labels of a guard: the exact one, and for readers the names of app, instance and stack, as far as a label can contain them. */
export function guardLabels({ app, instance, stack, manager }: Readonly<Record<'app' | 'instance' | 'stack' | 'manager', string>>) {
  const readable = (text: string) =>
    text
      .slice(0, 63)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[._-]+|(?<![._-])[._-]+$/g, '');
  return {
    'app.kubernetes.io/managed-by': 'fieldwise',
    [guardLabel]: labelOf(manager),
    'fieldwise.dev/app': readable(app),
    'fieldwise.dev/instance': readable(instance),
    'fieldwise.dev/stack': readable(stack),
  };
}

/**
 * Returns the guard that a ValidatingAdmissionPolicyBinding puts in force.
 *
 * @returns undefined where its annotation is missing, or is not one that `fieldwise guard` writes.
 */
export function guardOf(binding: JsonObject): LiveGuard | undefined {
  const { name, annotations } = metadataOf(binding);
  const text = isJsonObject(annotations) ? annotations[guardAnnotation] : undefined;
  const guard = typeof text === 'string' ? parsed(text) : undefined;
  if (!isGuard(guard)) return undefined;
  const { validationActions } = isJsonObject(binding.spec) ? binding.spec : {};
  return { ...(guard as Guard), policy: String(name), denies: Array.isArray(validationActions) && validationActions.includes('Deny') };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isGuard(value: Json | undefined): value is Guard & JsonObject {
  if (!isJsonObject(value)) return false;
  const { manager, subjects, group, kind, objects } = value;
  const isObjects = (item: Json) => isJsonObject(item) && isTexts(item.names) && isTexts(item.fields);
  return (
    [manager, group, kind].every((text) => typeof text === 'string') &&
    isTexts(subjects) &&
    Array.isArray(objects) &&
    objects.every(isObjects)
  );
}

function isTexts(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
