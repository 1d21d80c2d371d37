import type { PlannedObject } from '../../deploy/index.js';
import { pathCovers } from '../../fields/index.js';
import { ApiError } from '../../kubernetes/index.js';
import { conflictOwnerIn } from '../../ownership/index.js';
import { isJsonObject } from '../../util/json.js';
import { notExamined, wrongUse } from '../wrong-use.js';
import { type FieldManager, managerOf } from './field-manager.js';
import { fieldPath } from './field-path.js';
import { type MatchResult, section } from './match-result.js';
import { failureLines, planFailureLines, plannedObjects, reportedObjects } from './results.js';

interface Conflict {
  readonly object: string;
  readonly field: string;
  readonly from: string;
  readonly how: string;
}

/**
 * Passes if an apply, a deploy or a plan meets a conflict with a manager, over a field or a field below it; the policy may force the field,
 * yield it or stop.
 *
 * @throws FieldwiseError `option-invalid`.
 */
export function matchConflictWith(received: unknown, owner: FieldManager, field?: string): MatchResult {
  const manager = managerOf(owner);
  const conflicts = conflictsOf(received);
  const fields = conflicts.map((one) => one.field);
  const path = field === undefined ? undefined : fieldPath(field, fields);
  const pass = conflicts.some((one) => one.from === manager && (path === undefined || pathCovers(path, one.field)));
  const over = path === undefined ? '' : ` over ${path}`;
  const reasons = pass ? [] : otherReasons(received);
  if (reasons.length > 0) throw notExamined(`The result does not show a conflict with ${manager}${over}`, reasons);
  const message = () => {
    const none = conflicts.length === 0 ? '\n\nThere is no conflict.' : '';
    const lines = conflicts.map(({ object, field: at, from, how }) => `${object === '' ? '' : `${object} `}${at}: ${how} ${from}`);
    return `There is ${pass ? 'a' : 'no'} conflict with ${manager}${over}.${pass ? '' : none}${section('Conflicts:', lines)}`;
  };
  return { pass, message };
}

function conflictsOf(received: unknown): readonly Conflict[] {
  const caused = causesOf(received);
  if (caused !== undefined)
    return caused.map(({ field, message }) => ({ object: '', field, from: conflictOwnerIn(message).manager, how: 'rejected, of' }));
  const reported = reportedObjects(received);
  if (reported !== undefined)
    return reported.flatMap(({ object, conflicts, forcedConflicts, yielded }) => [
      ...conflicts.map(({ field, from }) => ({ object, field, from, how: 'stopped the object, of' })),
      ...forcedConflicts.map(({ field, from }) => ({ object, field, from, how: 'forced from' })),
      ...yielded.map(({ field, from }) => ({ object, field, from, how: 'yielded to' })),
    ]);
  const planned = plannedObjects(received);
  if (planned !== undefined)
    return planned.flatMap(({ object, fields }) =>
      fields.flatMap(({ field, change, owners = [] }) =>
        change === 'conflict' || change === 'force' || change === 'yield'
          ? owners.map(({ manager }) => ({ object, field, from: manager, how: `${change}, of` }))
          : [],
      ),
    );
  const expected = 'the error of a rejected apply (`.rejects`), or the result of `await cluster.deploy(…)` or `plan`';
  throw wrongUse('The value under test', received, expected);
}

/** Returns why an apply failed, or objects of a run or a plan, other than by conflicts. */
function otherReasons(received: unknown): readonly string[] {
  if (received instanceof ApiError) return received.conflicts.length > 0 ? [] : [received.message];
  if (isJsonObject(received) && typeof received.outcome === 'string') {
    const { outcome, message } = received;
    return outcome === 'applied' || outcome === 'conflict' ? [] : [typeof message === 'string' ? message : outcome];
  }
  const conflicting = ({ fields }: PlannedObject) => fields.some(({ change }) => change === 'conflict');
  return [
    // An object that is not ready was applied.
    ...failureLines((reportedObjects(received) ?? []).filter(({ result }) => result === 'failed' || result === 'skipped')),
    ...planFailureLines((plannedObjects(received) ?? []).filter((object) => !conflicting(object))),
  ];
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

/** Returns the conflicts of a rejected apply, or of an outcome of `fieldwise/ssa`; undefined for anything else. */
function causesOf(received: unknown): readonly Cause[] | undefined {
  if (received instanceof ApiError) return received.conflicts;
  if (!isJsonObject(received) || typeof received.outcome !== 'string') return undefined;
  return Array.isArray(received.causes) ? (received.causes as unknown as readonly Cause[]) : [];
}
