import { expect, test } from 'vitest';
import { otherPrunersOf } from '../../../../src/engine/pruners/other-pruners.js';

test.each([
  ['an ApplySet', { labels: { 'applyset.kubernetes.io/part-of': 'applyset-x-v1' } }, ['in-applyset']],
  ['kapp, by its label', { labels: { 'kapp.k14s.io/app': '1' } }, ['in-kapp-app']],
  ['kapp, by its annotation', { annotations: { 'kapp.k14s.io/identity': 'v1;shop//ConfigMap/a;v1' } }, ['in-kapp-app']],
  ['both', { labels: { 'applyset.kubernetes.io/part-of': 'applyset-x-v1', 'kapp.k14s.io/app': '1' } }, ['in-applyset', 'in-kapp-app']],
  [
    'nobody: kapp has given it up',
    { labels: { 'kapp.k14s.io/orphaned': '' }, annotations: { 'kapp.k14s.io/identity': 'v1;shop//ConfigMap/a;v1' } },
    [],
  ],
  ['neither', { labels: { app: 'web' }, annotations: { note: 'kapp.k14s.io/app' } }, []],
  ['the parent of a set', { labels: { 'applyset.kubernetes.io/id': 'applyset-x-v1' } }, []],
  ['nobody: it has no metadata', undefined, []],
])('an object that %s prunes', (_, metadata, codes) => {
  expect(otherPrunersOf(metadata === undefined ? {} : { metadata: metadata as never }).map(({ code }) => code)).toEqual(codes);
});
