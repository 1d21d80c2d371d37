import { expect, test } from 'vitest';
import { App, Stack } from '../../../src/entry/index.js';
import { synthesize } from '../../../src/synth/synthesize.js';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };

test('the previousOwner is written down by its field manager, the fields with a leading dot', () => {
  const app = new App({ name: 'shop', instance: 'staging' });
  const outer = new Stack(app, 'team');
  const previousOwner = new Stack(outer, 'gateway');
  const receiver = new Stack(app, 'receiver');
  receiver.share(object, { transferFrom: { from: previousOwner, fields: ['data.a'] } });
  const { stacks } = synthesize(app).manifest;
  const of = (name: string) => stacks.find((stack) => stack.name === name);
  expect(previousOwner.manager).toBe('fieldwise/shop/staging/team%2Fgateway');
  expect(of('team/gateway')?.manager).toBe(previousOwner.manager);
  expect(of('receiver')?.intents[0]?.policy.transferFrom).toEqual({ from: previousOwner.manager, fields: ['.data.a'] });
});

test.each([
  ['base', 'must be an object'],
  [{}, 'needs `from`'],
  [{ from: 'x', fields: [] }, 'needs a list of field paths'],
  [{ from: 'x', only: ['data'] }, 'has an unknown member only'],
])('%j is refused', (transferFrom, reason) => {
  const stack = new Stack(new App({ name: 'shop' }), 'web');
  expect(() => stack.share(object, { transferFrom: transferFrom as never })).toThrow(reason);
});
