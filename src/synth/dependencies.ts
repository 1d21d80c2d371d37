import { Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { AppRoot } from '../app/app-root.js';
import { objectText } from '../assembly/index.js';
import { FieldwiseError } from '../util/error.js';
import type { MergedStack } from './merged-stack.js';
import { topologicalOrder } from './topological-order.js';

/** What is deployed before what, by index. */
export interface Dependencies {
  /** Per stack, the stacks before it. */
  readonly stacks: readonly ReadonlySet<number>[];
  /** Per stack and intent, the intents of the same stack before it. */
  readonly intents: readonly (readonly ReadonlySet<number>[])[];
}

/** Where a declaring construct ended up. */
interface Unit {
  readonly stack: number;
  readonly intent: number;
}

/**
 * Dependencies of stacks and intents out of those of constructs (`node.addDependency`): everything at and below a construct comes after
 * everything at and below what it depends on. Between stacks that is an order of stacks, within one an order of its intents.
 */
export function dependenciesOf(app: AppRoot, stacks: readonly MergedStack[]): Dependencies {
  const result = {
    stacks: stacks.map(() => new Set<number>()),
    intents: stacks.map(({ intents }) => intents.map(() => new Set<number>())),
  };
  const stackOf = new Map<IConstruct, number>(stacks.map(({ chart }, index) => [chart, index]));
  const units = new Map<IConstruct, Unit>();
  for (const [stack, { intents }] of stacks.entries()) {
    for (const [intent, { declared }] of intents.entries()) for (const { construct } of declared) units.set(construct, { stack, intent });
  }
  for (const dependent of app.node.findAll()) {
    for (const dependency of dependent.node.dependencies) {
      const after = constructsOf(dependent, dependency);
      const before = constructsOf(dependency, dependent);
      link(stacksAmong(after, dependent, stackOf), stacksAmong(before, dependency, stackOf), result.stacks);
      const intentsBefore = byStack(before.flatMap((construct) => units.get(construct) ?? []));
      for (const [stack, intents] of byStack(after.flatMap((construct) => units.get(construct) ?? []))) {
        link(intents, intentsBefore.get(stack) ?? [], result.intents[stack] ?? []);
      }
    }
  }
  return result;
}

/** The intents among units by their stack. */
function byStack(units: readonly Unit[]): ReadonlyMap<number, readonly number[]> {
  const intents = new Map<number, number[]>();
  for (const { stack, intent } of units) {
    const known = intents.get(stack);
    if (known) known.push(intent);
    else intents.set(stack, [intent]);
  }
  return intents;
}

/** What stands at and below a construct, without what stands at and below the other one inside it. */
function constructsOf(construct: IConstruct, other: IConstruct): readonly IConstruct[] {
  const all = construct.node.findAll();
  if (construct === other || !other.node.scopes.includes(construct)) return all;
  const inside = new Set(other.node.findAll());
  return all.filter((candidate) => !inside.has(candidate));
}

/** The stacks among constructs, and the one that the topmost of them stands in. */
function stacksAmong(constructs: readonly IConstruct[], top: IConstruct, stackOf: ReadonlyMap<IConstruct, number>): readonly number[] {
  const home = top.node.scopes.reverse().find((scope) => Chart.isChart(scope));
  return [...constructs, ...(home ? [home] : [])].flatMap((construct) => stackOf.get(construct) ?? []);
}

function link(after: readonly number[], before: readonly number[], dependencies: readonly Set<number>[]): void {
  for (const dependent of after) for (const dependency of before) if (dependent !== dependency) dependencies[dependent]?.add(dependency);
}

/**
 * The order of the stacks, ties in program order.
 *
 * @throws FieldwiseError `dependency-cycle`.
 */
export function stackOrder(stacks: readonly MergedStack[], { stacks: dependencies }: Dependencies): readonly number[] {
  return orderOrThrow(dependencies, 'Stacks', (index) => stacks[index]?.name ?? '', undefined);
}

/**
 * The order of the intents of a stack, ties in program order.
 *
 * @throws FieldwiseError `dependency-cycle`.
 */
export function intentOrder(stack: MergedStack, dependencies: readonly ReadonlySet<number>[]): readonly number[] {
  const nameOf = (index: number) => {
    const intent = stack.intents[index];
    return intent ? objectText(intent.identity) : '';
  };
  return orderOrThrow(dependencies, `Objects of stack ${stack.name}`, nameOf, (index) => stack.intents[index]?.declared[0]?.place);
}

function orderOrThrow(
  dependencies: readonly ReadonlySet<number>[],
  what: string,
  nameOf: (index: number) => string,
  placeOf: ((index: number) => object | undefined) | undefined,
): readonly number[] {
  const result = topologicalOrder(dependencies);
  if ('order' in result) return result.order;
  const names = result.cycle.map(nameOf).join(' → ');
  throw new FieldwiseError('dependency-cycle', 'usage', `${what} depend on each other in a circle: ${names}`, {
    place: placeOf?.(result.cycle[0] ?? 0) ?? {},
    next: 'Take one of these dependencies back; several constructs that declare one object count as one.',
  });
}
