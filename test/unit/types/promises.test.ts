import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { unchecked } from '../../../codegen/generate-modules.js';
import { generateModules, readCrd } from '../../../codegen/index.js';
import { ScratchProject } from '../../corpus/scratch-project.js';

/**
 * What the types of a generated module promise, compiled as a user's program is. The promises that the built-in API can show
 * stand in `test/unit/builders/types.test.ts`.
 */
const programs: readonly (readonly [promise: string, program: string, error?: RegExp])[] = [
  ['a literal may leave everything out', '({}) satisfies PromiseSpecApply'],
  ['undefined is not declared', '({ text: undefined, names: undefined }) satisfies PromiseSpecApply'],
  ['null is for nullable fields', '({ maybe: null }) satisfies PromiseSpecApply; promiseSpec().withMaybe(null)'],
  ['null is for no other field', '({ text: null }) satisfies PromiseSpecApply', /'null' is not assignable/],
  ['null is for no other method', 'promiseSpec().withText(null)', /'null' is not assignable/],
  ['set reaches any field by its wire name', "promiseSpec().set('text', null).set('anything', 1).withText('x')"],
  ['an enum is a union, the empty string included', "promiseSpec().withSize('').withSize('large')"],
  ['no other value is one of an enum', "promiseSpec().withSize('medium')", /'"medium"' is not assignable/],
  ['an enum of integers is a union', 'promiseSpec().withCode(302)'],
  ['no other integer is one of an enum', '({ code: 303 }) satisfies PromiseSpecApply', /'303' is not assignable/],
  [
    'an enum without a type is a union',
    "({ level: 'max', anyOf: 1 }) satisfies PromiseSpecApply; promiseSpec().withLevel(2).withAnyOf('a')",
  ],
  ['no other number is one of an enum without a type', 'promiseSpec().withLevel(3)', /'3' is not assignable/],
  ['no other text is one of an enum of any value', "({ anyOf: 'b' }) satisfies PromiseSpecApply", /'"b"' is not assignable/],
  ['null is no value of an enum, since no server takes it', 'promiseSpec().withSizeOrNull(null)', /'null' is not assignable/],
  ['int-or-string takes both', "promiseSpec().withShare(1).withShare('50%')"],
  ['int-or-string takes nothing else', 'promiseSpec().withShare(true)', /'boolean' is not assignable/],
  ['a time is a string', "promiseSpec().withSince('2026-01-01T00:00:00Z')"],
  ['a time is no Date', 'promiseSpec().withSince(new Date())', /'Date' is not assignable/],
  [
    'reserved and odd names are reachable',
    "promiseSpec().withClass('x').withRef('y'); ({ class: 'x', $ref: 'y' }) satisfies PromiseSpecApply",
  ],
  ['colliding names are told apart', "promiseSpec().withAB('x').withAB2(2); ({ 'a-b': 'x', a_b: 2 }) satisfies PromiseSpecApply"],
  ['a set takes items', "promiseSpec().withNames('a', 'b')"],
  ['a set takes no list', "promiseSpec().withNames(['a'])", /is not assignable/],
  ['an atomic list takes a list', "promiseSpec().withArgs(['a'] as const)"],
  ['an atomic list takes no items', "promiseSpec().withArgs('a')", /'string' is not assignable to parameter of type 'readonly string\[\]'/],
  ['an atomic map takes a map', "promiseSpec().withSelector({ a: 'b' })"],
  ['a granular map takes entries', "promiseSpec().withLabels({ a: 'b' }).withLabels({})"],
  ['a map knows its values', 'promiseSpec().withLabels({ a: 1 })', /'number' is not assignable/],
  ['unknown fields where they are preserved', "({ free: { known: 'x', other: [1] }, any: 5 }) satisfies PromiseSpecApply"],
  [
    'known fields beside preserved ones keep their types',
    '({ free: { known: 1 } }) satisfies PromiseSpecApply',
    /'number' is not assignable/,
  ],
  ['unknown fields nowhere else', '({ txt: 1 }) satisfies PromiseSpecApply', /may only specify known properties.*'txt'|did you mean/],
  ['unknown fields not deep in a literal', "promise('p').withSpec({ plain: [{ nam: 1 }] })", /'nam'/],
  ['a keyed item in a literal needs its key', '({ byName: [{ port: 1 }] }) satisfies PromiseSpecApply', /'name' is missing/],
  ['a keyed item in a method needs its key', "promiseSpec().withByPort({ name: 'a' })", /'port' is missing/],
  ['a key cannot be undefined', 'promiseSpec().withByName({ name: undefined })', /'\[brand\]' is missing/],
  ['a keyed item needs no other field', "promiseSpec().withByName({ name: 'a' }).withByPort({ port: 1 })"],
  ['no key is needed where the list is not keyed', 'promiseSpec().withPlain([{ weight: 1 }])'],
  ['a builder with the key of the position', "promiseSpec().withByName(plainByName('a')).withByPort(plainByPort(1))"],
  ['a builder with the key of another position', 'promiseSpec().withByName(plainByPort(1))', /'name' is missing/],
  ['a builder without keys', 'promiseSpec().withByName(plain())', /\[keys\]' is missing/],
  ['a builder without keys where none are needed', 'promiseSpec().withPlain([plain(), plainByPort(1)])'],
  ['keys stay through other methods', "promiseSpec().withByName(plainByName('a').withWeight(1))"],
  [
    'a builder stands wherever its literal may',
    "promise('p').withSpec(promiseSpec()); promise('p').withSpec({ byPort: [plainByPort(1), { port: 2 }] })",
  ],
  [
    'fields called as members of builders and of every object are declared like others',
    "promiseSpec().withMembers(members('a').withBuild('x').withConstructor('y')).withMembers({ name: 'a', build: 'x', constructor: 'y' })",
  ],
  ...['allMembers: [members("a")]', 'members: members("a")', 'membersByName: [members("a")]', 'inherited: inherited().withOther("x")'].map(
    (field) => [`a builder with such fields stands for its literal: ${field}`, `({ ${field} }) satisfies PromiseSpecApply`] as const,
  ),
  ['a builder with such fields in a keyed list', "promiseSpec().withInheritedByOther(inheritedByOther('x'), { other: 'y', valueOf: 'z' })"],
  ['such fields leave the others their types', '({ inherited: { other: 1 } }) satisfies PromiseSpecApply', /'number' is not assignable/],
  [
    'a keyed item with such fields needs its key',
    '({ inheritedByOther: [{ toString: "x" }] }) satisfies PromiseSpecApply',
    /'other' is missing/,
  ],
  ['a builder of another type beside such fields', 'promiseSpec().withInherited(promiseStatusFields())', /PromiseStatusFields.*Inherited/],
  ['a builder of another type', "promise('p').withSpec(promiseStatusFields())", /PromiseStatusFields.*not assignable.*PromiseSpec/],
  ['a whole object is no part', "promise('p').withSpec(promise('q'))", /Promise"' is not assignable.*PromiseSpec/],
  ['the main root has no status', "promise('p').withStatus({})", /'withStatus' does not exist/],
  ['the main literal has no status', '({ status: {} }) satisfies PromiseApply', /'status'/],
  ['the status root has nothing else', "promiseStatus('p').withStatus({ ready: true }).withSpec({})", /'withSpec' does not exist/],
  ['a literal of another kind', "({ kind: 'Other' }) satisfies PromiseApply", /'"Other"' is not assignable/],
  ['build gives the literal', "const built: PromiseApply = promise('p').build({ complete: true, construct: 'a/b' })"],
  ['fromObject gives the builder', "const made: PromiseBuilder = fromObject(promise, { metadata: { name: 'p' }, spec: { text: 'x' } })"],
  ['fromObject takes what nobody knows the type of', 'const made: PromiseBuilder = fromObject(promise, JSON.parse("{}"))'],
  ['fromObject knows fields', 'fromObject(promise, { spec: { txt: 1 } })', /'txt'/],
  ['fromObject knows keys', 'fromObject(promise, { spec: { byName: [{ port: 1 }] } })', /'name' is missing/],
  ['fromObject makes parts', "fromObject(promiseSpec, { text: 'x' }).withClass('y')"],
  ['builders are not what they build', 'const spec: PromiseSpecBuilder = { build: () => ({}) }', /missing the following properties/],
];

const workshop = new ScratchProject();
let errorsOf: (file: string) => readonly string[];
// The module itself first: it compiles, too, although users' compilers are told not to look.
const files: string[] = [];

beforeAll(async () => {
  const { roots } = readCrd(parse(readFileSync(new URL('promises.yaml', import.meta.url), 'utf8')));
  for (const { path, text } of (await generateModules(roots)).files) files.push(workshop.write(path, text.replace(`${unchecked}\n`, '')));
  const names =
    'inherited, inheritedByOther, members, plain, plainByName, plainByPort, promise, promiseSpec, promiseStatus, promiseStatusFields, type PromiseApply, type PromiseBuilder, type PromiseSpecApply, type PromiseSpecBuilder';
  const head = `import { fromObject } from 'fieldwise/builders';\nimport { ${names} } from './types.example.com/v1.js';\n`;
  for (const [index, [, program]] of programs.entries()) files.push(workshop.write(`case-${index}.ts`, `${head}${program};\n`));
  errorsOf = workshop.check(files);
});
afterAll(() => workshop.remove());

describe('compiles', () => {
  test('the module', () => expect(errorsOf(files[0]!)).toEqual([]));

  test.each(programs.map(([promise, , error], index) => [promise, index, error] as const).filter(([, , error]) => error === undefined))(
    '%s',
    (_, index) => {
      expect(errorsOf(files[index + 1]!)).toEqual([]);
    },
  );
});

describe('does not compile', () => {
  test.each(programs.map(([promise, , error], index) => [promise, index, error] as const).filter(([, , error]) => error !== undefined))(
    '%s',
    (_, index, error) => {
      expect(errorsOf(files[index + 1]!).join('\n')).toMatch(error as RegExp);
    },
  );
});
