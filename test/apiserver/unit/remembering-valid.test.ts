import { expect, test } from 'vitest';
import { rememberingValid } from '../../../src/apiserver/api/remembering-valid.js';

test('a valid part is validated once, at whatever path; an invalid one each time, with its path', () => {
  const asked: string[] = [];
  const errorsOf = rememberingValid(({ name }: { readonly name: string }, path) => {
    asked.push(path);
    return name === '' ? [`${path} is empty`] : [];
  });
  const [web, nameless] = [{ name: 'web' }, { name: '' }];
  expect([errorsOf(web, 'a'), errorsOf(web, 'b')]).toEqual([[], []]);
  expect([errorsOf(nameless, 'a'), errorsOf(nameless, 'b')]).toEqual([['a is empty'], ['b is empty']]);
  expect(asked).toEqual(['a', 'a', 'b']);
});
