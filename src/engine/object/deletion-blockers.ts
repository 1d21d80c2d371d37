import { conditionOf, finalizersOf } from '../../fields/object.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Conditions of a Namespace that is being deleted, the most telling first. Source: Kubernetes API reference, NamespaceCondition. */
const namespaceConditions = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
] as const;

/**
 * Returns why an object that is being deleted still exists: its finalizers. For a Namespace, returns what its conditions say about its
 * content: which resources are left and which finalizers hold them, or why the server could not find out.
 *
 * @returns texts without a full stop; empty where nothing is known.
 */
export function deletionBlockers(object: JsonObject): readonly string[] {
  const conditionTexts = isNamespace(object)
    ? namespaceConditions.flatMap((type) => {
        const condition = conditionOf(object, type);
        return condition?.status === 'True' ? [condition.message.replace(/\.$/, '') || type] : [];
      })
    : [];
  return [...finalizersOf(object), ...(conditionTexts.length > 0 ? conditionTexts : contentOf(object))];
}

/** The options that raise the limit of the wait. */
const longerWait = 'raise --timeout (library: `deletionTimeoutSeconds`)';

/** Returns what a person can do about it. */
export function unblockAdvice(object: JsonObject): string {
  if (isNamespace(object) && conditionOf(object, 'NamespaceDeletionDiscoveryFailure')?.status === 'True')
    return 'Repair the API server of the group that cannot be discovered, or delete its APIService, then run again.';
  if (isNamespace(object) && conditionOf(object, 'NamespaceFinalizersRemaining')?.status === 'True')
    return `Check that the controllers for the finalizers of this content are running, then run again, or ${longerWait}.`;
  if (deletionBlockers(object).length === 0 || isNamespace(object)) return `Run again, or ${longerWait}.`;
  return `Check that the controllers for these finalizers are running, then run again, or ${longerWait}.`;
}

/** Returns only the finalizers in the metadata and those of a Namespace's content, by name. */
export function allFinalizersOf(object: JsonObject): readonly string[] {
  return [...finalizersOf(object), ...specFinalizersOf(object)];
}

/** Returns a text for each finalizer in the spec of a Namespace that has no condition yet. */
function contentOf(object: JsonObject): readonly string[] {
  const names = isNamespace(object) ? specFinalizersOf(object) : [];
  if (names.length === 0) return [];
  return names.map((name) => (name === 'kubernetes' ? 'its content, which the namespace controller has not removed yet' : name));
}

function isNamespace({ apiVersion, kind }: JsonObject): boolean {
  return kind === 'Namespace' && apiVersion === 'v1';
}

function specFinalizersOf({ spec }: JsonObject): readonly string[] {
  const names = isJsonObject(spec) ? spec.finalizers : undefined;
  return Array.isArray(names) ? (names as readonly string[]).map(String) : [];
}
