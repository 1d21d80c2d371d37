import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as controller from 'fieldwise/controller';
import * as apps from 'fieldwise/k8s/apps/v1';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('controller-docs');
const text = readFileSync(fileURLToPath(new URL('../../docs/controller.md', import.meta.url)), 'utf8');

/** The examples in one go: `expression; // value` must hold. */
function examples(): string {
  const blocks = [...text.matchAll(/<!-- example: [\w-]+ -->\n```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  const checked = blocks
    .filter((block) => !block.startsWith('import '))
    .join('\n')
    .replaceAll("'default'", JSON.stringify(testEnvironment.namespace))
    .replace(/^(?!const | {2})(\S.*); \/\/ (.*)$/gm, 'check($1, $2);');
  return ts.transpile(checked, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext });
}

test('the examples of docs/controller.md hold', async () => {
  let checked = 0;
  const check = (actual: unknown, expected: unknown): void => {
    checked += 1;
    expect(actual).toEqual(expected);
  };
  const scope = { ...controller, ...apps, kubeconfig: testEnvironment.kubeconfig, check };
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const run = new AsyncFunction(...Object.keys(scope), `${examples()}\ncluster.close();`);
  await (run as (...values: unknown[]) => Promise<void>)(...Object.values(scope));
  expect(checked).toBe(14);
});
