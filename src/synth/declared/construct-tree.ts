import { Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';

/**
 * The constructs of an app in program order (each before those below it), addressed by their position. The constructs at and below
 * construct `n` have the positions `n … ends[n] - 1`, so that containment is a comparison of numbers.
 */
export interface ConstructTree {
  readonly constructs: readonly IConstruct[];
  readonly positions: ReadonlyMap<IConstruct, number>;
  /** Position of the construct above; -1 for the app. */
  readonly parents: readonly number[];
  /** Position after the last construct at or below each. */
  readonly ends: readonly number[];
  /** The chart that a construct belongs to, itself included, as an index into `charts`; -1 outside of charts. */
  readonly chartIndexes: readonly number[];
  /** Positions of the charts. */
  readonly charts: readonly number[];
}

/** Walks an app without recursion: `node.findAll()` overflows the stack at a depth of some thousand constructs. */
export function constructTree(app: IConstruct): ConstructTree {
  const constructs: IConstruct[] = [];
  const parents: number[] = [];
  const chartIndexes: number[] = [];
  const charts: number[] = [];
  const waiting: { readonly construct: IConstruct; readonly parent: number }[] = [{ construct: app, parent: -1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { construct, parent } = next;
    const position = constructs.push(construct) - 1;
    parents.push(parent);
    chartIndexes.push(Chart.isChart(construct) ? charts.push(position) - 1 : (chartIndexes[parent] ?? -1));
    const children = construct.node.children;
    for (let index = children.length - 1; index >= 0; index--) waiting.push({ construct: children[index] as IConstruct, parent: position });
  }
  const ends = constructs.map((_, position) => position + 1);
  for (let position = constructs.length - 1; position > 0; position--) {
    const parent = parents[position] as number;
    ends[parent] = Math.max(ends[parent] as number, ends[position] as number);
  }
  return {
    constructs,
    positions: new Map(constructs.map((construct, position) => [construct, position])),
    parents,
    ends,
    chartIndexes,
    charts,
  };
}

/** Returns true if `inner` is at or below `outer`. */
export function contains({ ends }: ConstructTree, outer: number, inner: number): boolean {
  return outer <= inner && inner < (ends[outer] as number);
}

/** Yields the positions of the direct children of a construct. */
export function* childrenOf({ ends }: ConstructTree, position: number): Generator<number> {
  for (let child = position + 1; child < (ends[position] as number); child = ends[child] as number) yield child;
}
