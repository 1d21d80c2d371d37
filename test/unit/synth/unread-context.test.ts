import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { afterEach, expect, test, vi } from 'vitest';
import { Stack } from '../../../src/app/stack.js';
import { App } from '../../../src/synth/app.js';
import { synthesize } from '../../../src/synth/synthesize.js';

afterEach(() => vi.unstubAllEnvs());

const warned = /^Nothing in the program reads the context value "size"/;

test.each<{ what: string; program: (app: App) => void; warning: RegExp | undefined; context?: object }>([
  { what: 'nobody reads it', program: () => {}, warning: /"size", so it has no effect\.$/ },
  { what: 'the app reads it', program: (app) => app.node.tryGetContext('size'), warning: undefined },
  {
    what: 'a construct below reads it',
    program: (app) => new Construct(new Stack(app, 'a'), 'b').node.getContext('size'),
    warning: undefined,
  },
  { what: 'a chart reads all of them', program: (app) => new Chart(app, 'a').node.getAllContext(), warning: undefined },
  { what: 'a false value is read', program: (app) => app.node.tryGetContext('size'), warning: undefined, context: { size: false } },
  { what: 'the program replaces it', program: (app) => app.node.setContext('size', 2), warning: warned },
  {
    what: 'a construct below hides it',
    program: (app) => {
      const stack = new Stack(app, 'a');
      stack.node.setContext('size', 2);
      stack.node.tryGetContext('size');
    },
    warning: warned,
  },
  {
    what: 'the program asks for another name',
    program: (app) => ['sizes', 'color'].map((key) => app.node.tryGetContext(key)),
    warning: /It reads "sizes", "color", which nobody sets\.$/,
  },
  { what: 'a flag has this name', program: () => {}, warning: /pass --env\.$/, context: { env: 'prod' } },
  { what: 'Fieldwise reads it of charts', program: () => {}, warning: undefined, context: { helmHooks: 'skip' } },
  { what: 'its name is one of JavaScript', program: () => {}, warning: /"constructor"/, context: { constructor: 1 } },
])('warns if a context value has no effect: $what', ({ program, warning, context = { size: 3 } }) => {
  vi.stubEnv('FIELDWISE_CONTEXT', JSON.stringify(context));
  const app = new App({ name: 'shop' });
  program(app);
  const messages = synthesize(app)
    .manifest.warnings.filter(({ code }) => code === 'context-unread')
    .map(({ message }) => message);
  expect(messages).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
});

test('hands on what the configuration and the program set', () => {
  vi.stubEnv('FIELDWISE_CONTEXT', '{"size":3,"color":"blue"}');
  const app = new App({ name: 'shop' });
  app.node.setContext('size', 4);
  const { node } = new Stack(app, 'a');
  expect([node.tryGetContext('size'), node.getContext('color'), node.getAllContext()]).toEqual([4, 'blue', { size: 4, color: 'blue' }]);
});

test('warns of 10,000 values once each', () => {
  vi.stubEnv('FIELDWISE_CONTEXT', JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]))));
  const app = new App({ name: 'shop' });
  app.node.tryGetContext('k5');
  expect(synthesize(app).manifest.warnings).toHaveLength(9_999);
});
