import { type ConstructTree, childrenOf, contains } from '../declared/construct-tree.js';
import { type CompactOrder, compactOrder } from './compact-order.js';
import { addTo, type ConstructDependencies, type ConstructDependency } from './construct-dependencies.js';
import { topologicalOrder } from './topological-order.js';

/** The constructs of one stack, and the intents that they declare. */
export interface StackConstructs {
  /** Position of the stack's chart. */
  readonly chart: number;
  /** Positions in program order, the chart first; without the constructs of a stack inside it. */
  readonly members: readonly number[];
  /** Number of intents. */
  readonly intents: number;
  /** Intents by the position of the construct that declares them; several constructs may declare one. */
  readonly intentOf: ReadonlyMap<number, number>;
}

/** A dependency of one intent on another, and the dependency of constructs that causes it. */
export interface IntentLink {
  readonly dependent: number;
  readonly dependency: number;
  readonly because: ConstructDependency;
}

/** Returns the dependencies within each stack; a construct above a stack counts as the stack. */
export function dependenciesByStack(
  tree: ConstructTree,
  { all }: ConstructDependencies,
): ReadonlyMap<number, readonly ConstructDependency[]> {
  const byStack = new Map<number, ConstructDependency[]>();
  for (const { dependent, dependency } of all) {
    const [chartIndex, otherChartIndex] = [tree.chartIndexes[dependent] as number, tree.chartIndexes[dependency] as number];
    if (chartIndex === otherChartIndex) {
      if (chartIndex >= 0) addTo(byStack, chartIndex, { dependent, dependency });
    } else if (contains(tree, dependent, dependency)) {
      const chart = tree.charts[otherChartIndex] as number;
      if (dependency !== chart) addTo(byStack, otherChartIndex, { dependent: chart, dependency });
    } else if (contains(tree, dependency, dependent)) {
      const chart = tree.charts[chartIndex] as number;
      if (dependent !== chart) addTo(byStack, chartIndex, { dependent, dependency: chart });
    }
  }
  return byStack;
}

/**
 * Computes the order of the intents of a stack from the dependencies of its constructs, in time linear in both, not in the ordered pairs of
 * intents. Undefined if the graph has a cycle, which intents with several declarations may cause without being one: `intentLinks` decides
 * then.
 */
export function intentDependencies(
  tree: ConstructTree,
  stack: StackConstructs,
  dependencies: readonly ConstructDependency[],
): CompactOrder | undefined {
  const before: number[][] = Array.from({ length: stack.intents }, () => []);
  const point = () => before.push([]) - 1;
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  for (const member of stack.members) {
    const [start, end] = [point(), point()];
    starts.set(member, start);
    ends.set(member, end);
    before[end]?.push(start);
    const parent = member === stack.chart ? undefined : (tree.parents[member] as number);
    if (parent !== undefined) {
      before[start]?.push(starts.get(parent) as number);
      before[ends.get(parent) as number]?.push(end);
    }
    const intent = stack.intentOf.get(member);
    if (intent === undefined) continue;
    before[intent]?.push(start);
    before[end]?.push(intent);
  }
  const split = splitByNesting(tree, dependencies);
  for (const { dependent, dependency } of split.apart) before[starts.get(dependent) as number]?.push(ends.get(dependency) as number);
  for (const [outer, inside] of split.inner) {
    const gate = point();
    for (const construct of inside) before[gate]?.push(ends.get(construct) as number);
    for (const one of outside(tree, stack, outer, inside)) before[one.intent ?? (starts.get(one.position) as number)]?.push(gate);
  }
  for (const [outer, inside] of split.innerDependents) {
    const gate = point();
    for (const one of outside(tree, stack, outer, inside)) before[gate]?.push(one.intent ?? (ends.get(one.position) as number));
    for (const construct of inside) before[starts.get(construct) as number]?.push(gate);
  }
  const walked = topologicalOrder(before);
  return 'order' in walked ? compactOrder(before, stack.intents, walked.order) : undefined;
}

/** Yields every pair of different intents that the dependencies order. */
export function* intentLinks(
  tree: ConstructTree,
  stack: StackConstructs,
  dependencies: readonly ConstructDependency[],
): Generator<IntentLink> {
  const { inner, innerDependents } = splitByNesting(tree, dependencies);
  for (const because of dependencies) {
    const { dependent, dependency } = because;
    const after = intentsAt(tree, stack, dependent, contains(tree, dependent, dependency) ? inner.get(dependent) : undefined);
    const before = intentsAt(tree, stack, dependency, contains(tree, dependency, dependent) ? innerDependents.get(dependency) : undefined);
    for (const one of after) for (const other of before) if (one !== other) yield { dependent: one, dependency: other, because };
  }
}

function splitByNesting(tree: ConstructTree, dependencies: readonly ConstructDependency[]) {
  const apart: ConstructDependency[] = [];
  const inner = new Map<number, number[]>();
  const innerDependents = new Map<number, number[]>();
  for (const pair of dependencies) {
    const { dependent, dependency } = pair;
    if (contains(tree, dependent, dependency)) addTo(inner, dependent, dependency);
    else if (contains(tree, dependency, dependent)) addTo(innerDependents, dependency, dependent);
    else apart.push(pair);
  }
  return { apart, inner, innerDependents };
}

/** Yields the rest of `outer` without `inside`: whole constructs, and the intents of constructs that contain some of `inside`. */
function* outside(
  tree: ConstructTree,
  stack: StackConstructs,
  outer: number,
  inside: readonly number[],
): Generator<{ readonly position: number; readonly intent?: number }> {
  const apart = new Set(inside);
  const above = new Set<number>();
  for (const construct of inside) {
    for (let up = tree.parents[construct] as number; up >= outer && !above.has(up); up = tree.parents[up] as number) above.add(up);
  }
  const chartIndex = tree.chartIndexes[outer];
  for (const position of above) {
    const intent = stack.intentOf.get(position);
    if (intent !== undefined) yield { position, intent };
    for (const child of childrenOf(tree, position)) {
      if (!apart.has(child) && !above.has(child) && tree.chartIndexes[child] === chartIndex) yield { position: child };
    }
  }
}

/** Returns the intents that are declared at and below a construct, without those at and below the constructs `without`. */
function intentsAt(tree: ConstructTree, stack: StackConstructs, construct: number, without: readonly number[] = []): readonly number[] {
  const apart = new Set(without);
  const intents = new Set<number>();
  for (let position = construct; position < (tree.ends[construct] as number); ) {
    if (apart.has(position)) {
      position = tree.ends[position] as number;
      continue;
    }
    const intent = stack.intentOf.get(position);
    if (intent !== undefined) intents.add(intent);
    position++;
  }
  return [...intents];
}
