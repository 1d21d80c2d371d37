import { objectText } from '../assembly/identity.js';
import type { Step } from '../engine/graph/waves.js';
import type { ChangedFirst, PlannedAction } from '../engine/report/plan-types.js';
import { metadataOf } from '../fields/object.js';
import { type JsonObject, jsonEqual } from '../util/json.js';
import { type ChangedObject, isRead } from './may-depend-on.js';

/** The actions by which an object is there afterwards, and another one than before. */
const changing: Readonly<Partial<Record<PlannedAction, string>>> = { create: 'creates', update: 'changes', recreate: 'replaces' };

/** The number of objects that a text names. */
const maxNamed = 3;

/** The objects that the steps of a run create or change, as far as they are planned. */
export class RunChanges {
  readonly #changes = new Map<Step, ChangedObject>();

  get all(): readonly ChangedObject[] {
    return [...this.#changes.values()];
  }

  /** Adds a step unless nothing but the owners of fields would change. */
  add(
    step: Step,
    {
      before,
      after,
      action,
    }: { readonly before: JsonObject | undefined; readonly after: JsonObject | undefined; readonly action: PlannedAction },
  ): void {
    if (!isChanging(action) || (before && after && jsonEqual(contentOf(before), contentOf(after)))) return;
    const { namespace } = metadataOf(after ?? before ?? step.object);
    const states = isRead(step.intent) ? { before, after: after ?? step.object } : {};
    this.#changes.set(step, { step, action, namespace, ...states });
  }

  /** Forgets a step that would not succeed after all. */
  confirm(step: Step, action: PlannedAction): void {
    if (!isChanging(action)) this.#changes.delete(step);
  }
}

function isChanging(action: PlannedAction): action is ChangedObject['action'] {
  return changing[action] !== undefined;
}

/** Returns an object without what each write changes. */
function contentOf(object: JsonObject): JsonObject {
  const { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = metadataOf(object);
  return { ...object, metadata: metadata as JsonObject };
}

export function changedFirstOf({ step: { stack, intent }, action }: ChangedObject): ChangedFirst {
  const { apiVersion, kind, namespace, name } = intent;
  return {
    stack: stack.name,
    object: objectText(intent),
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    action,
  };
}

/** Returns what a deploy does to objects: `creates Role web/reader and changes Namespace web`. */
export function changedFirstText(changed: readonly ChangedObject[]): string {
  const named = changed.slice(0, maxNamed).map(({ step: { intent }, action }) => `${changing[action]} ${objectText(intent)}`);
  const more = changed.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ').replace(/, (?=[^,]*$)/, ' and ');
}
