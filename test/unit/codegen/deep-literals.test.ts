import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { generateModules, readCrd } from 'fieldwise/codegen';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/util/json.js';
import { ScratchProject } from '../../corpus/scratch-project.js';

/** Literals as deep as none in use: a compiler that checks each object twice would check the deepest one 2 to the power of 24 times. */
const depth = 24;

const workshop = new ScratchProject();
afterAll(() => workshop.remove());

const text = { type: 'string' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const keyed = (items: JsonObject): JsonObject => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['v'],
  items: { ...items, required: ['v'] },
});

/** How a schema contains the next one, and a value the next value. */
const nestings: readonly (readonly [string, (next: JsonObject) => JsonObject, (next: Json) => Json])[] = [
  ['objects', (next) => object({ next, v: text }), (next) => ({ next, v: 'x' })],
  ['objects with nothing beside', (next) => object({ next }), (next) => ({ next })],
  [
    'objects with many fields',
    (next) => object({ next, v: text, a: { type: 'integer' }, b: object({ c: text }) }),
    (next) => ({ b: { c: 'x' }, next, v: 'x', a: 1 }),
  ],
  [
    'objects with free names',
    (next) => ({ ...object({ next, v: text }), 'x-kubernetes-preserve-unknown-fields': true }),
    (next) => ({ next, v: 'x', w: 1 }),
  ],
  ['objects of any value', (next) => ({ properties: { next }, 'x-kubernetes-preserve-unknown-fields': true }), (next) => ({ next })],
  [
    'objects with members of builders',
    (next) => object({ next, build: text, set: text, constructor: text }),
    (next) => ({ next, build: 'x' }),
  ],
  ['nullable objects', (next) => object({ next: { ...next, nullable: true }, v: text }), (next) => ({ next })],
  ['values of maps', (next) => object({ all: { type: 'object', additionalProperties: next } }), (next) => ({ all: { a: next, b: {} } })],
  ['items of lists', (next) => object({ all: { type: 'array', items: next }, v: text }), (next) => ({ all: [next, { v: 'x' }] })],
  ['items of keyed lists', (next) => object({ all: keyed(next), v: text }), (next) => ({ all: [next], v: 'x' })],
  [
    'objects in items of keyed lists',
    (next) => object({ all: keyed(object({ next, v: text })), v: text }),
    (next) => ({ all: [{ v: 'x', next }], v: 'x' }),
  ],
];

let errors: readonly string[];
beforeAll(async () => {
  const programs: string[] = [];
  for (const [name, schemaOf, literalOf] of nestings) {
    const [schema, value] = nested(schemaOf, literalOf, depth);
    const directory = name.replaceAll(' ', '-');
    for (const { path, text: module } of (await generateModules(readCrd(crdOf(schema)).roots)).files) {
      workshop.write(`${directory}/${path}`, module);
    }
    for (const [program, spec] of [['right', value] as const, ['wrong', deepest(value)] as const]) {
      const words = `import { chain } from './deep.example.com/v1.js';\nchain('a').withSpec(${JSON.stringify(spec)});\n`;
      programs.push(workshop.write(`${directory}/${program}.ts`, words));
    }
  }
  const pairs = object({ items: text, withItems: text, withItems2: text, class: text, withClass: text });
  for (const { path, text: module } of (await generateModules(readCrd(crdOf(pairs)).roots)).files)
    workshop.write(`methods/${path}`, module);
  programs.push(
    workshop.write('methods/right.ts', methodProgram("chainSpec().withItems('a').withWithItems('b').withClass('c').withWithClass('d')")),
  );
  programs.push(workshop.write('methods/wrong.ts', methodProgram("{ items: 'a', withItems: 1 }")));
  errors = compile(programs);
}, 300_000);

test.each(nestings.map(([name]) => name))('a literal of %s', (name) => {
  const directory = `${name.replaceAll(' ', '-')}/`;
  expect(errors.filter((line) => line.startsWith(directory))).toEqual([expect.stringMatching(/wrong\.ts.* is not assignable to /)]);
});

test('a builder whose fields are called as methods of it is an input of its type', () => {
  expect(errors.filter((line) => line.startsWith('methods/'))).toEqual([expect.stringMatching(/wrong\.ts.* is not assignable to /)]);
});

function methodProgram(spec: string): string {
  return `import { chain, chainSpec } from './deep.example.com/v1.js';\nchain('a').withSpec(${spec});\nchainSpec();\n`;
}

function nested(schemaOf: (next: JsonObject) => JsonObject, literalOf: (next: Json) => Json, levels: number): [JsonObject, Json] {
  let schema = object({ v: text });
  let value: Json = { v: 'x' };
  for (let level = 0; level < levels; level++) [schema, value] = [schemaOf(schema), literalOf(value)];
  return [schema, value];
}

/** Returns the value with a number where the deepest object has a text. */
function deepest(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replace(/\{"v":"x"\}/, '{"v":1}')) as Json;
}

function crdOf(spec: JsonObject): JsonObject {
  const schema = { openAPIV3Schema: object({ spec }) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'deep.example.com',
      scope: 'Namespaced',
      names: { kind: 'Chain', plural: 'chains' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** Returns the errors of programs. A process compiles them, because it can be killed. */
function compile(programs: readonly string[]): readonly string[] {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--target', 'es2022'];
  const run = { encoding: 'utf8', timeout: 240_000, cwd: workshop.directory } as const;
  const { stdout, signal } = spawnSync(process.execPath, [tsc, ...options, ...programs], run);
  if (signal !== null) throw new Error('The compiler does not end.');
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}
