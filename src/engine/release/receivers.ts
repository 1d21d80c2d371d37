import { resolvePath, valueAt } from '../../fields/index.js';
import { isJsonObject, type JsonObject, jsonEqual } from '../../util/json.js';
import type { Step } from '../graph/waves.js';
import type { EndingPart, Successions } from '../transfer/succession.js';
import type { Takeover } from '../transfer/takeovers.js';

/** An intent of the run that owns fields of another stack before that stack gives them up; where it does not succeed, nothing is given up. */
interface Receiver {
  readonly givers: readonly string[];
  readonly step: Step;
  readonly isMeant: (field: string) => boolean;
}

/** Whether a field that managers give up of an object goes to another stack of the run. */
export type IsReceived = (managers: readonly string[], key: string, field: string, live: JsonObject) => boolean;

/** Nothing goes to anybody. */
export const noReceivers: IsReceived = () => false;

/** Knows what intents of a run take over, by the policy `takesOver` or because their object moves to them. */
export function receiversIn(
  steps: readonly Step[],
  takeovers: ReadonlyMap<Step, Takeover>,
  parts: readonly EndingPart[],
  successions: Successions,
): IsReceived {
  const byPolicy = [...takeovers].map(([step, { giver, isMeant }]): Receiver => ({ givers: [giver], step, isMeant }));
  const byMove = parts.flatMap(({ stack, formerManagers, key, entry }): Receiver[] => {
    const heir = successions.get(entry)?.heir?.stack.manager;
    const step = heir === undefined ? undefined : steps.find((other) => other.key === key && other.stack.manager === heir);
    return step ? [{ givers: [stack.manager, ...formerManagers], step, isMeant: () => true }] : [];
  });
  const receivers = [...byPolicy, ...byMove];
  if (receivers.length === 0) return noReceivers;
  return (managers, key, field, live) =>
    receivers.some(
      ({ givers, step, isMeant }) =>
        step.key === key && givers.some((giver) => managers.includes(giver)) && isMeant(field) && holds(step.object, field, live),
    );
}

/** Of a list or map all that is there must be declared: what is left out of it would go. */
function holds(object: JsonObject, field: string, live: JsonObject): boolean {
  const path = resolvePath(field, object);
  const value = path && valueAt(object, path);
  if (path === undefined || value === undefined) return false;
  return !(isJsonObject(value) || Array.isArray(value)) || jsonEqual(value, valueAt(live, path));
}
