import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withExplicitPrototypes } from '../../../codegen/spread-into-objects.js';

test('a literal that begins with a spread and has another member gets an explicit prototype', () => {
  expect(withExplicitPrototypes('f({ ...a, b });')).toBe('f({ __proto__: Object.prototype, ...a, b });');
  expect(withExplicitPrototypes('f({ ...a, ...b });')).toBe('f({ __proto__: Object.prototype, ...a, ...b });');
  expect(withExplicitPrototypes('f({\n  ...{ ...a, b: 1 },\n  c: 2,\n});')).toBe(
    'f({\n  __proto__: Object.prototype, ...{ __proto__: Object.prototype, ...a, b: 1 },\n  c: 2,\n});',
  );
});

test('other code stays as it is', () => {
  const others = [
    'f({ ...a });',
    'f({ b, ...a });',
    'f([...a, b]);',
    'f(...a, b);',
    'const { a, ...b } = c;',
    "f('{ ...a, b }');",
    '({}); // { ...a, b }',
  ];
  for (const code of others) expect(withExplicitPrototypes(code)).toBe(code);
});

test('a literal that names its prototype keeps it', () => {
  for (const code of ['f({ ...a, __proto__: null });', "f({ ...a, '__proto__': b });"]) expect(withExplicitPrototypes(code)).toBe(code);
});

test('the literal means the same, whatever is spread', () => {
  const literal = '({ ...value, last: 1 })';
  const changed = withExplicitPrototypes(literal);
  expect(changed).not.toBe(literal);
  for (const text of ['{"a":1,"last":2}', '{"__proto__":{"b":1}}', '[1,2]', '"text"', 'null', '{"toString":0,"2":1,"1":2}']) {
    const results = [literal, changed].map((code) => new Function('value', `return ${code};`)(JSON.parse(text)) as object);
    const [plain, explicit] = results.map((result) => [
      Object.getPrototypeOf(result),
      Object.getOwnPropertyDescriptors(result),
      JSON.stringify(result),
    ]);
    expect(explicit).toEqual(plain);
  }
});

test.each(['lib/src/entry/index.js', 'lib/src/apiserver/api-server.js'])('the build has done so with %s', async (file) => {
  const code = await readFile(file, 'utf8');
  expect(code).toContain('__proto__: Object.prototype, ...');
  expect(withExplicitPrototypes(code)).toBe(code);
});
