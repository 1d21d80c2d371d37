import { ApiObject, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type App, own, Stack } from '../../../src/index.js';
import { topologicalOrder } from '../../../src/synth/topological-order.js';
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
    expect(error).toMatchObject({ code: 'dependency-cycle', message: 'Stacks depend on each other in a circle: a → b → c → a' });
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
      message: 'Objects of stack web depend on each other in a circle: ConfigMap a → ConfigMap b → ConfigMap a',
    });
  });
});

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
