import { conditionOf, finalizersOf } from '../../kubernetes/object.js';
import type { JsonObject } from '../../util/json.js';
import { specOf } from './object.js';

/** Conditions of a Namespace that is being deleted; the first that is met says most. Source: Kubernetes API reference, NamespaceCondition. */
const namespaceConditions = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
] as const;

/**
 * Why an object that is being deleted is still there: its finalizers. For a Namespace what its conditions say of its content: which
 * resources are left and which finalizers hold them, or why the server could not look.
 *
 * @returns texts without a full stop; empty where nothing is told.
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

/** What a person can do about it. */
export function unblockAdvice(object: JsonObject): string {
  if (isNamespace(object) && conditionOf(object, 'NamespaceDeletionDiscoveryFailure')?.status === 'True')
    return 'Repair the API server of the group that cannot be discovered, or delete its APIService, then run again.';
  if (isNamespace(object) && conditionOf(object, 'NamespaceFinalizersRemaining')?.status === 'True')
    return 'Check that the controllers for the finalizers of this content are running, then run again, or raise --timeout.';
  if (deletionBlockers(object).length === 0 || isNamespace(object)) return 'Run again, or raise --timeout.';
  return 'Check that the controllers for these finalizers are running, then run again, or raise --timeout.';
}

/** Only the finalizers in the metadata and those of a Namespace's content, as they are named. */
export function allFinalizersOf(object: JsonObject): readonly string[] {
  return [...finalizersOf(object), ...namesIn(specOf(object).finalizers)];
}

/** A Namespace of which nothing is told yet, or any other object with finalizers in its spec. */
function contentOf(object: JsonObject): readonly string[] {
  const names = isNamespace(object) ? namesIn(specOf(object).finalizers) : [];
  if (names.length === 0) return [];
  return names.map((name) => (name === 'kubernetes' ? 'its content, which the namespace controller has not removed yet' : name));
}

function isNamespace({ apiVersion, kind }: JsonObject): boolean {
  return kind === 'Namespace' && apiVersion === 'v1';
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]).map(String) : [];
}
