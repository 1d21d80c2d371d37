import type { RecordedObject, RecordedRun } from './recorded-run.js';

/** Numbers of fields and objects that a run takes, releases, deletes and cannot change. */
export interface RunFigures {
  readonly taken: number;
  /** The number of taken fields by their previous owner, the greatest first. */
  readonly losers: readonly (readonly [name: string, fields: number])[];
  readonly adopted: number;
  readonly released: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly recreated: number;
  readonly blocked: number;
  /** Fields that blocked objects would take. */
  readonly wouldTake: number;
  readonly skipped: number;
  readonly coOwned: number;
  readonly notCompared: number;
  /** Objects that the server could not judge. */
  readonly notJudged: number;
  /** The number of objects by action or result. */
  readonly actions: readonly (readonly [action: string, objects: number])[];
}

/** Counts what the summary of a run says. */
export function runFigures({ objects }: Pick<RecordedRun, 'objects'>): RunFigures {
  const losers = new Map<string, number>();
  const actions = new Map<string, number>();
  for (const { action, takenFrom } of objects) {
    actions.set(action, (actions.get(action) ?? 0) + 1);
    for (const owners of takenFrom) for (const name of new Set(owners)) losers.set(name, (losers.get(name) ?? 0) + 1);
  }
  const sum = (count: (object: RecordedObject) => number) => objects.reduce((total, object) => total + count(object), 0);
  const actionCount = (...names: readonly string[]) => names.reduce((total, name) => total + (actions.get(name) ?? 0), 0);
  return {
    taken: sum(({ takenFrom }) => takenFrom.length),
    losers: [...losers].sort(([, left], [, right]) => right - left),
    adopted: sum(({ isAdopted }) => (isAdopted ? 1 : 0)),
    released: sum(({ released }) => released),
    created: actionCount('create', 'created'),
    updated: actionCount('update', 'updated', 'applied'),
    deleted: actionCount('delete', 'deleted'),
    recreated: actionCount('recreate', 'recreated'),
    blocked: sum(({ risk }) => (risk === 'blocked' ? 1 : 0)),
    wouldTake: sum(({ wouldTake }) => wouldTake),
    skipped: sum(({ risk }) => (risk === 'skipped' ? 1 : 0)),
    coOwned: sum(({ coOwned }) => coOwned),
    notCompared: sum(({ notCompared }) => notCompared),
    notJudged: sum(({ notJudged }) => (notJudged === undefined ? 0 : 1)),
    actions: [...actions],
  };
}
