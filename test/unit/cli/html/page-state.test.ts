import { describe, expect, test } from 'vitest';
import { fragmentText, objectId, readFragment } from '../../../../src/cli/html/browser/fragment.js';
import { timeText } from '../../../../src/cli/html/browser/time-text.js';

describe('the state of a page in its address', () => {
  test.each<readonly [state: Readonly<Record<string, readonly string[]>>, fragment: string]>([
    [{}, ''],
    [{ text: [] }, ''],
    [{ text: ['a b'], stack: ['web', 'shop/default/base'] }, '#text=a+b&stack=web&stack=shop/default/base'],
    [{ object: ['web:apps/Deployment/shop/web'] }, '#object=web:apps/Deployment/shop/web'],
    [{ text: ['a+b&c=d#e%20<"'] }, '#text=a%2Bb%26c%3Dd%23e%2520%3C%22'],
    [{ owner: ['kubectl (Update, scale)'] }, '#owner=kubectl+(Update,+scale)'],
  ])('%j', (state, fragment) => {
    expect(fragmentText(new Map(Object.entries(state)))).toBe(fragment);
    expect(Object.fromEntries(readFragment(fragment))).toEqual(
      Object.fromEntries(Object.entries(state).filter(([, values]) => values.length > 0)),
    );
  });

  test.each([
    [{ apiVersion: 'v1', object: 'ConfigMap shop/web' }, 'ConfigMap/shop/web'],
    [{ apiVersion: 'apps/v1', object: 'Deployment shop/web', stack: 'web' }, 'web:apps/Deployment/shop/web'],
    [{ apiVersion: 'v1', object: 'Namespace a b' }, 'Namespace/a_b'],
  ])('the id of %j', (object, id) => {
    expect(objectId(object)).toBe(id);
  });
});

test.each([
  ['2026-11-28T08:00:00Z', '28 Nov 2026, 09:00 (2 days ago)'],
  ['2026-11-30T07:59:30Z', '30 Nov 2026, 08:59 (just now)'],
  ['2026-11-30T07:01:00Z', '30 Nov 2026, 08:01 (59 minutes ago)'],
  ['2026-11-30T05:00:00Z', '30 Nov 2026, 06:00 (3 hours ago)'],
  ['2025-01-01T00:00:00Z', '1 Jan 2025, 01:00 (1 year ago)'],
  ['2026-12-03T08:00:00Z', '3 Dec 2026, 09:00 (in 3 days)'],
  ['<b>', '<b>'],
])('%s as a local time with its age', (time, text) => {
  expect(timeText(time, Date.parse('2026-11-30T08:00:00Z'), 'Europe/Berlin')).toBe(text);
});
