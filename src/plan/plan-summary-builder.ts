import type { FieldOwner, PlannedAction, PlannedObject, PlanSummary } from '../engine/report/plan-types.js';
import type { ReportedError } from '../engine/report/run-diagnostic.js';
import { exitCodeOf } from '../util/error.js';

/** Counts the actions, adoptions and forced conflicts of a plan. */
export class PlanSummaryBuilder {
  readonly #counts: Partial<Record<PlannedAction, number>> = {};
  readonly #errors: ReportedError[] = [];
  readonly #forcedConflictsByOwner: Record<string, number> = {};
  #adopts = 0;
  #notJudged = 0;
  #forcedConflicts = 0;
  #conflicts = false;
  #isUnknown = false;

  add(object: PlannedObject): void {
    this.#counts[object.action] = (this.#counts[object.action] ?? 0) + 1;
    const isBlocked = object.action === 'blocked';
    if (object.adopts && !isBlocked) this.#adopts++;
    for (const { change, owners } of object.fields) {
      this.#conflicts ||= change === 'conflict';
      if (change !== 'force' || isBlocked) continue;
      this.#forcedConflicts++;
      for (const name of new Set(owners?.map(nameOf))) this.#forcedConflictsByOwner[name] = (this.#forcedConflictsByOwner[name] ?? 0) + 1;
    }
    if (object.notJudged && !isBlocked) this.#notJudged++;
    if (object.notCompared) this.#isUnknown = true;
    if (object.error) this.#errors.push(object.error);
  }

  finish(): PlanSummary {
    const { unchanged: _, absent: __, ...changing } = this.#counts;
    const failed = this.#errors.length > 0 ? exitCodeOf('resource') : this.#conflicts ? exitCodeOf('conflict') : 0;
    return {
      event: 'plan-summary',
      counts: this.#counts,
      adopts: this.#adopts,
      notJudged: this.#notJudged,
      forcedConflicts: this.#forcedConflicts,
      forcedConflictsByOwner: this.#forcedConflictsByOwner,
      differs: this.#isUnknown || this.#notJudged > 0 || Object.keys(changing).length > 0,
      exitCode: failed,
      errors: this.#errors,
    };
  }
}

function nameOf({ manager, stack }: FieldOwner): string {
  return stack ?? manager;
}
