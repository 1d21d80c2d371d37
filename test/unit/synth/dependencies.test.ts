import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type App, own, Stack } from '../../../src/entry/index.js';
import { topologicalOrder } from '../../../src/synth/order/topological-order.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const stacks = (app: App, ...names: string[]) => names.map((name) => new Stack(app, name)) as [Stack, Stack, Stack];

describe('order of stacks', () => {
  const cases: [string, (app: App) => void, [string, string[]][]][] = [
    [
      'program order without dependencies',
      (app) => void stacks(app, 'c', 'a', 'b'),
      [
        ['c', []],
        ['a', []],
        ['b', []],
      ],
    ],
    [
      'a stack after those it depends on',
      (app) => {
        const [a, b, c] = stacks(app, 'a', 'b', 'c');
        a.addDependency(c, b);
      },
      [
        ['b', []],
        ['c', []],
        ['a', ['b', 'c']],
      ],
    ],
    [
      'by an intent that depends on one of another stack',
      (app) => {
        const [a, b] = stacks(app, 'a', 'b');
        a.own(configMap('x')).node.addDependency(b.own(configMap('y')));
      },
      [
        ['b', []],
        ['a', ['b']],
      ],
    ],
    [
      'by constructs that hold intents',
      (app) => {
        const [a, b] = stacks(app, 'a', 'b');
        const [inA, inB] = [new Construct(a, 'part'), new Construct(b, 'part')];
        own(inA, configMap('x'));
        inA.node.addDependency(inB);
      },
      [
        ['b', []],
        ['a', ['b']],
      ],
    ],
    [
      'by cdk8s objects and charts',
      (app) => {
        const [a, b] = [new Chart(app, 'a'), new Chart(app, 'b')];
        new ApiObject(a, 'x', configMap('x')).addDependency(b);
      },
      [
        ['b', []],
        ['a', ['b']],
      ],
    ],
    [
      'by constructs above the stacks',
      (app) => {
        const [left, right] = [new Construct(app, 'left'), new Construct(app, 'right')];
        for (const scope of [left, right]) for (const id of ['a', 'b']) new Stack(scope, id);
        left.node.addDependency(right);
      },
      [
        ['right/a', []],
        ['right/b', []],
        ['left/a', ['right/a', 'right/b']],
        ['left/b', ['right/a', 'right/b']],
      ],
    ],
    [
      'a nested stack after the one around it',
      (app) => {
        const outer = new Stack(app, 'outer');
        new Stack(outer, 'inner').addDependency(outer);
      },
      [
        ['outer', []],
        ['outer/inner', ['outer']],
      ],
    ],
    [
      'a nested stack before the one around it',
      (app) => {
        const outer = new Stack(app, 'outer');
        outer.addDependency(new Stack(outer, 'inner'));
      },
      [
        ['outer/inner', []],
        ['outer', ['outer/inner']],
      ],
    ],
    [
      'several nested stacks before the one around them, as cdk8s has it',
      (app) => {
        const outer = new Stack(app, 'outer');
        outer.addDependency(new Stack(outer, 'a'), new Stack(outer, 'b'));
      },
      [
        ['outer/a', []],
        ['outer/b', []],
        ['outer', ['outer/a', 'outer/b']],
      ],
    ],
    [
      'several nested stacks after the one around them',
      (app) => {
        const outer = new Stack(app, 'outer');
        for (const id of ['a', 'b']) new Stack(outer, id).addDependency(outer);
      },
      [
        ['outer', []],
        ['outer/a', ['outer']],
        ['outer/b', ['outer']],
      ],
    ],
    [
      'by a construct around the intents of several stacks',
      (app) => {
        const group = new Construct(app, 'group');
        const [a, b] = [new Stack(group, 'a'), new Stack(group, 'b')];
        const c = new Stack(group, 'c');
        group.node.addDependency(a.own(configMap('x')), b.own(configMap('y')));
        void c;
      },
      [
        ['group/a', []],
        ['group/b', []],
        ['group/c', ['group/a', 'group/b']],
      ],
    ],
  ];
  it.each(cases)('%s', (_, declare, expected) => {
    const { manifest } = synthesized(declare);
    expect(manifest.stacks.map(({ name, dependsOn }) => [name, dependsOn])).toEqual(expected);
  });

  it('refuses a circle and names it', () => {
    const error = synthError((app) => {
      const [a, b, c] = stacks(app, 'a', 'b', 'c');
      a.addDependency(b);
      b.own(configMap('x')).node.addDependency(c);
      c.addDependency(a);
    });
    expect(error).toMatchObject({
      code: 'dependency-cycle',
      message:
        'Stacks depend on each other in a cycle: a → b → c → a (shop/a on shop/b, shop/b/own-ConfigMap-x on shop/c, shop/c on shop/a)',
    });
  });
});

describe('order of intents', () => {
  it('is that of their dependencies, else of the program', () => {
    const { intents } = synthesized((app) => {
      const stack = new Stack(app, 'web');
      const [a, b] = [stack.own(configMap('a')), stack.own(configMap('b'))];
      const part = new Construct(stack, 'part');
      own(part, configMap('c'));
      own(part, configMap('d'));
      a.node.addDependency(part);
      b.node.addDependency(b);
    });
    expect(intents('web').map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
      ['c', []],
      ['d', []],
      ['a', [0, 1]],
      ['b', []],
    ]);
  });

  it('takes all declarations of an object as one', () => {
    const error = synthError((app) => {
      const stack = new Stack(app, 'web');
      const [a, b] = [stack.own(configMap('a')), stack.own(configMap('b'))];
      a.node.addDependency(b);
      b.node.addDependency(stack.own(configMap('a')));
    });
    expect(error).toMatchObject({
      code: 'dependency-cycle',
      message:
        'Objects of stack web depend on each other in a cycle: ConfigMap a → ConfigMap b → ConfigMap a ' +
        '(shop/web/own-ConfigMap-a on shop/web/own-ConfigMap-b, shop/web/own-ConfigMap-b on shop/web/own-ConfigMap-a-2)',
    });
  });
});

describe('dependencies of any shape', () => {
  /** Each construct is an object; construct `i` stands below an earlier one. */
  const shapes = fc.integer({ min: 2, max: 14 }).chain((size) =>
    fc.record({
      parents: fc.tuple(...Array.from({ length: size }, (_, index) => fc.nat(Math.max(0, index - 1)))),
      pairs: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 5 }),
    }),
  );

  it('order what is at and below a construct after what is at and below the other', () => {
    fc.assert(
      fc.property(shapes, fc.boolean(), ({ parents, pairs }, nested) => {
        const chain = (index: number): number[] => (index === 0 ? [0] : [index, ...chain(parents[index] as number)]);
        const within = (index: number, outer: number) => chain(index).includes(outer);
        const all = [...parents.keys()];
        const expected = closureOf(
          pairs.flatMap(([dependent, dependency]) => {
            if (dependent === dependency) return [];
            const apart = (outer: number, inside: number[]) =>
              all.filter((one) => within(one, outer) && !inside.some((other) => other !== outer && within(one, other)));
            const innerOf = within(dependency, dependent) ? pairs.filter(([one]) => one === dependent).map(([, other]) => other) : [];
            const dependents = within(dependent, dependency) ? pairs.filter(([, other]) => other === dependency).map(([one]) => one) : [];
            const inside = (outer: number, others: number[]) => others.filter((other) => within(other, outer));
            const after = apart(dependent, inside(dependent, innerOf));
            const before = apart(dependency, inside(dependency, dependents));
            return after.flatMap((one) => before.filter((other) => other !== one).map((other) => [one, other] as const));
          }),
          parents.length,
        );
        const declare = (app: App) => {
          const constructs: Construct[] = [];
          const home = new Stack(app, 'web');
          for (const [index, parent] of parents.entries()) {
            const scope = index === 0 ? home : (constructs[parent] as Construct);
            constructs.push(new ApiObject(nested ? new Construct(scope, `in-${index}`) : scope, `c${index}`, configMap(`c${index}`)));
          }
          for (const [one, other] of pairs) constructs[one]?.node.addDependency(constructs[other] as Construct);
        };
        if (all.some((index) => expected[index]?.has(index))) {
          expect(synthError(declare)).toMatchObject({ code: 'dependency-cycle' });
          return;
        }
        const { manifest } = synthesized(declare);
        const { intents, groups = [] } = manifest.stacks[0] as (typeof manifest.stacks)[number];
        const nodes = [...intents.map(({ dependsOn }) => dependsOn), ...groups];
        const found = closureOf(
          nodes.flatMap((others, node) => others.map((other) => [node, other] as const)),
          nodes.length,
        );
        const names = (indices: Iterable<number>) => [...indices].flatMap((index) => intents[index]?.name ?? []).sort();
        for (const [place, { name }] of intents.entries()) {
          expect(names(found[place] ?? [])).toEqual([...(expected[Number(name.slice(1))] ?? [])].map((index) => `c${index}`).sort());
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of a thousand objects on a thousand others say so in a group', () => {
    const { manifest } = synthesized((app) => {
      const stack = new Stack(app, 'web');
      const [first, second] = ['first', 'second'].map((id) => {
        const part = new Construct(stack, id);
        for (let index = 0; index < 1000; index++) new ApiObject(part, String(index), configMap(`${id}-${index}`));
        return part;
      }) as [Construct, Construct];
      second.node.addDependency(first);
    });
    const stack = manifest.stacks[0];
    expect(stack?.groups).toEqual([Array.from({ length: 1000 }, (_, index) => index)]);
    expect(stack?.intents.slice(1000).every(({ dependsOn }) => dependsOn.length === 1 && dependsOn[0] === 2000)).toBe(true);
  });

  it('reach through constructs that declare nothing', () => {
    const { intents } = synthesized((app) => {
      const stack = new Stack(app, 'web');
      const [a, b] = [stack.own(configMap('a')), stack.own(configMap('b'))];
      const marker = new Construct(stack, 'marker');
      a.node.addDependency(marker);
      marker.node.addDependency(b);
    });
    expect(intents('web').map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
      ['b', []],
      ['a', [0]],
    ]);
  });

  it('are fine where parts that share an object depend on each other', () => {
    const { intents } = synthesized((app) => {
      const stack = new Stack(app, 'web');
      const [first, second] = [new Construct(stack, 'first'), new Construct(stack, 'second')];
      for (const [part, name] of [
        [first, 'x'],
        [second, 'x'],
        [first, 'y'],
      ] as const)
        own(part, configMap(name));
      second.node.addDependency(first);
    });
    expect(intents('web').map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
      ['y', []],
      ['x', [0]],
    ]);
  });

  it('may be chains of 10,000 and trees as deep as constructs can be', () => {
    const { intents } = synthesized((app) => {
      const stack = new Stack(app, 'web');
      let before: Construct | undefined;
      for (let index = 0; index < 10_000; index++) {
        const next = new ApiObject(stack, `c${index}`, configMap(`c${index}`));
        if (before) before.node.addDependency(next);
        before = next;
      }
      let deep: Construct = new Stack(app, 'deep');
      for (let depth = 0; depth < 1500; depth++) deep = new Construct(deep, 'd');
      own(deep, configMap('bottom')).node.addDependency(stack);
    });
    expect(
      intents('web')
        .slice(0, 2)
        .map(({ name, dependsOn }) => [name, dependsOn]),
    ).toEqual([
      ['c9999', []],
      ['c9998', [0]],
    ]);
    expect(intents('deep')).toHaveLength(1);
  });
});

function closureOf(pairs: readonly (readonly [number, number])[], size: number): Set<number>[] {
  const reached = Array.from({ length: size }, () => new Set<number>());
  for (const [one, other] of pairs) reached[one]?.add(other);
  // A Set may grow while it is walked: this visits what is reached over others too.
  for (const set of reached) for (const other of set) for (const next of reached[other] ?? []) set.add(next);
  return reached;
}

describe('topologicalOrder', () => {
  it('puts everything after what it depends on, whatever the graph', () => {
    const graphs = fc.integer({ min: 1, max: 30 }).chain((size) => {
      const one = fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 });
      return fc.array(one, { minLength: size, maxLength: size });
    });
    fc.assert(
      fc.property(graphs, (graph) => {
        const result = topologicalOrder(graph.map((dependencies) => new Set(dependencies)));
        if ('order' in result) {
          expect([...result.order].sort((a, b) => a - b)).toEqual(graph.map((_, index) => index));
          for (const [index, dependencies] of graph.entries())
            for (const other of dependencies) expect(result.order.indexOf(other)).toBeLessThan(result.order.indexOf(index));
        } else {
          const { cycle } = result;
          expect(cycle[0]).toBe(cycle.at(-1));
          for (const [at, index] of cycle.slice(0, -1).entries()) expect(graph[index]).toContain(cycle[at + 1]);
        }
      }),
    );
  });

  it('walks a chain of 100,000', () => {
    const size = 100_000;
    const result = topologicalOrder(Array.from({ length: size }, (_, index) => new Set(index + 1 < size ? [index + 1] : [])));
    expect('order' in result && result.order[0]).toBe(size - 1);
  });
});
