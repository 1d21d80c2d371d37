import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { certificate } from '../../../examples/custom-resources/upstream/imports/cert-manager.io/v1.js';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const blocks = [...read('docs/builders.md').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code as string);
const [builders, literal, cdk8s, complete, ...others] = blocks;

test('the page has the blocks that this file knows', () => expect(others).toEqual([]));

test.each([
  ['builders', builders],
  ['literals', literal],
])('the block with %s is a part of the example', (file, block) => {
  expect(read(`examples/custom-resources/${file}.ts`)).toContain(block);
});

test('the block for cdk8s is TypeScript', () => {
  const { diagnostics } = ts.transpileModule(cdk8s as string, { reportDiagnostics: true });
  expect(diagnostics).toEqual([]);
});

test('a build of a complete object says what the page says', () => {
  const said = /throws: … (.*)/.exec(complete as string)?.[1] as string;
  const build = new Function('certificate', ts.transpile(complete as string)) as (of: typeof certificate) => void;
  expect(() => build(certificate)).toThrow(said);
});
