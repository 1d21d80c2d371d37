import { programScripts, type Template } from '../template.js';

/** Returns a program with one stack of builders. */
export function appTemplate(name: string): Template {
  return {
    files: { 'main.ts': main, 'hello.ts': stack, 'hello.test.ts': test(name) },
    app: 'main.ts',
    scripts: programScripts,
    about: 'The program is main.ts. It declares the stack of hello.ts, which hello.test.ts tests on an API server of its own.',
  };
}

const main = `import { App } from 'fieldwise';
import { hello } from './hello.js';

hello(new App());
`;

const stack = `import { type App, Stack } from 'fieldwise';
import { configMap } from 'fieldwise/k8s/core/v1';

/** Declares the stack \`hello\`. */
export function hello(app: App): Stack {
  const stack = new Stack(app, 'hello');
  // This stack creates and deletes the object. To add fields to an object of others, declare them with \`share\`.
  stack.own(configMap('hello').withData({ greeting: 'Hello, field!' }));
  return stack;
}
`;

const test = (name: string) => `import { App } from 'fieldwise';
import { testCluster } from 'fieldwise/testing/vitest';
import { expect, test } from 'vitest';
import { hello } from './hello.js';

test('the stack owns its greeting', async () => {
  const cluster = await testCluster();
  const app = new App({ name: '${name}' });
  const stack = hello(app);
  expect(await cluster.deploy(app)).toSucceed();
  expect(await cluster.get('ConfigMap', 'hello')).toBeOwnedBy('.data.greeting', stack);
});
`;
