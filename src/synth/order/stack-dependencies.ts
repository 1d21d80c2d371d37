import { type ConstructTree, contains } from '../declared/construct-tree.js';
import type { ConstructDependencies, ConstructDependency } from './construct-dependencies.js';

/** A dependency of one stack on another, and the dependency of constructs that causes it. Stacks are indices into `charts` of the tree. */
export interface StackLink {
  readonly dependent: number;
  readonly dependency: number;
  readonly because: ConstructDependency;
}

/**
 * Yields the dependencies between stacks: the stacks at, below and around the dependent construct come after those at, below and around the
 * dependency. Takes time linear in the tree and in the result.
 */
export function* stackLinks(tree: ConstructTree, { all, inner, innerDependents }: ConstructDependencies): Generator<StackLink> {
  const rests = { inner: new Map<number, readonly number[]>(), innerDependents: new Map<number, readonly number[]>() };
  for (const because of all) {
    const { dependent, dependency } = because;
    const after = contains(tree, dependent, dependency)
      ? restOf(tree, dependent, inner, rests.inner)
      : stacksWithin(tree, dependent, tree.ends[dependent] as number);
    const before = contains(tree, dependency, dependent)
      ? restOf(tree, dependency, innerDependents, rests.innerDependents)
      : stacksWithin(tree, dependency, tree.ends[dependency] as number);
    for (const one of withOwnChart(tree, dependent, after)) {
      for (const other of withOwnChart(tree, dependency, before)) if (one !== other) yield { dependent: one, dependency: other, because };
    }
  }
}

function* withOwnChart({ chartIndexes, charts }: ConstructTree, position: number, stacks: readonly number[]): Generator<number> {
  yield* stacks;
  const chartIndex = chartIndexes[position] as number;
  if (chartIndex >= 0 && charts[chartIndex] !== position) yield chartIndex;
}

/** Returns the stacks at and below a construct, without those around, at and below the constructs `inside`. */
function restOf(
  tree: ConstructTree,
  position: number,
  inside: ReadonlyMap<number, readonly number[]>,
  known: Map<number, readonly number[]>,
): readonly number[] {
  const before = known.get(position);
  if (before) return before;
  const rest: number[] = [];
  let from = position;
  const apart = (inside.get(position) ?? []).map((construct) => stackAround(tree, construct, position)).sort((left, right) => left - right);
  for (const construct of apart) {
    if (construct < from) continue; // inside the construct before
    rest.push(...stacksWithin(tree, from, construct));
    from = tree.ends[construct] as number;
  }
  rest.push(...stacksWithin(tree, from, tree.ends[position] as number));
  known.set(position, rest);
  return rest;
}

/** Returns the chart of a construct if that chart is inside `outer`, else the construct itself. */
function stackAround(tree: ConstructTree, construct: number, outer: number): number {
  const chart = tree.charts[tree.chartIndexes[construct] as number];
  return chart !== undefined && chart !== outer && contains(tree, outer, chart) ? chart : construct;
}

/** Returns the stacks whose charts have the positions `from … to - 1`. */
function stacksWithin({ charts }: ConstructTree, from: number, to: number): readonly number[] {
  const stacks: number[] = [];
  for (let index = firstAtOrAfter(charts, from); index < charts.length && (charts[index] as number) < to; index++) stacks.push(index);
  return stacks;
}

function firstAtOrAfter(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
