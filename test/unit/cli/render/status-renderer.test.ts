import { expect, test } from 'vitest';
import { statusRenderer } from '../../../../src/cli/render/status-renderer.js';
import type { ObjectStatus } from '../../../../src/deploy/index.js';

const cause = { cause: 'crash', message: 'container web ends', object: 'Pod default/web-1' } as const;
const status: ObjectStatus = {
  ...{ event: 'status', stack: 'web', manager: 'fieldwise/shop/default/web', object: 'Deployment default/web' },
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web', lifecycle: 'own', state: 'in-sync' },
  ...{ drift: [], yielded: [], pending: [], otherWriters: [] },
};
const readiness = (state: 'current' | 'in-progress' | 'failed' | 'unknown') => ({ state, reason: 'Any', message: 'words' });

test.each([
  ['green', { readiness: readiness('current') }],
  ['green', { readiness: readiness('unknown') }],
  ['green', {}],
  ['yellow', { readiness: readiness('in-progress') }],
  ['yellow', { readiness: { ...readiness('in-progress'), cause: { ...cause, certain: false } } }],
  ['red', { readiness: { ...readiness('in-progress'), cause: { ...cause, certain: true } } }],
  ['red', { readiness: readiness('failed') }],
  ['red', { state: 'pending' as const, readiness: readiness('failed') }],
  ['yellow', { state: 'pending' as const, readiness: readiness('current') }],
  ['red', { state: 'drifted' as const, readiness: readiness('current') }],
])('an object is shown in %s: %j', (color, parts) => {
  const codes = { red: 31, green: 32, yellow: 33 };
  let printed = '';
  const raw = { stdout: (text: string) => (printed += text), stderr: () => {} };
  statusRenderer({ color: true, raw } as never)({ ...status, ...parts });
  expect(printed.codePointAt(0)).toBe(0x1b);
  expect(printed.slice(1)).toMatch(new RegExp(`^\\[${codes[color as 'red']}m`));
});

test('what is printed again and again begins with its time', () => {
  let printed = '';
  const raw = { stdout: (text: string) => (printed += text), stderr: () => {} };
  const render = statusRenderer({ color: false, raw } as never, { clock: () => Date.UTC(2030, 0, 1, 12, 0, 1) });
  render({ ...status, readiness: readiness('in-progress'), pending: ['.spec.replicas'] });
  render(status);
  expect(printed).toBe(`2030-01-01T12:00:01Z  in-sync     Deployment default/web  [web]  in-progress: words
    declared otherwise than the last deploy applied: .spec.replicas
2030-01-01T12:00:01Z  in-sync     Deployment default/web  [web]
`);
});

test('with problems, only what is not well is shown, and that it is well again', () => {
  let printed = '';
  const raw = { stdout: (text: string) => (printed += text), stderr: () => {} };
  const render = statusRenderer({ color: false, raw } as never, { problems: true });
  render(status);
  expect(printed).toBe('');
  render({ ...status, readiness: readiness('in-progress') });
  render(status);
  render(status);
  expect(printed).toBe(`in-sync     Deployment default/web  [web]  in-progress: words
in-sync     Deployment default/web  [web]
`);
});
