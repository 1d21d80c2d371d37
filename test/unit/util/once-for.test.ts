import { expect, test } from 'vitest';
import { onceFor } from '../../../src/util/once-for.js';

test('a value is made once for each object, even undefined', () => {
  const asked: object[] = [];
  const nameOf = onceFor((object: { readonly name?: string }) => {
    asked.push(object);
    return object.name;
  });
  const [web, nameless] = [{ name: 'web' }, {}];
  expect([web, nameless, web, nameless, { name: 'web' }].map(nameOf)).toEqual(['web', undefined, 'web', undefined, 'web']);
  expect(asked).toEqual([web, nameless, { name: 'web' }]);
  expect(asked[0]).toBe(web);
});
