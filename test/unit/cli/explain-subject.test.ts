import { expect, test } from 'vitest';
import { subjectOf } from '../../../src/cli/explain/subject.js';

const fields = (...paths: readonly string[]) => ({ kind: 'deploy', name: 'web', fields: paths });

test.each<[readonly string[], string | undefined, unknown]>([
  [['deploy/web', '.spec.replicas'], undefined, fields('.spec.replicas')],
  [['.spec.replicas', 'deploy/web'], undefined, fields('.spec.replicas')],
  [['deploy/web', 'spec.replicas', 'spec.paused'], undefined, fields('.spec.replicas', '.spec.paused')],
  [['deploy', 'web', '.spec.replicas'], undefined, fields('.spec.replicas')],
  [['deploy/web', '.metadata.annotations[a b]'], undefined, fields('.metadata.annotations[a b]')],
  [['-'], undefined, { message: { from: 'stdin' } }],
  [['-', 'deploy/web'], undefined, { message: { from: 'stdin' }, object: { kind: 'deploy', name: 'web' } }],
  [['Apply failed with 1 conflict'], undefined, { message: { from: 'argument', text: 'Apply failed with 1 conflict' } }],
  [['deploy/web'], 'ci.log', { message: { from: 'file', path: 'ci.log' }, object: { kind: 'deploy', name: 'web' } }],
])('explain %j, --file %s', (words, file, subject) => {
  expect(subjectOf(words, file)).toEqual(subject);
});

test.each<[readonly string[], RegExp]>([
  [[], /No message and no object/],
  [['deploy/web'], /No field of deploy\/web is named/],
  [['deploy', 'web'], /No field of deploy\/web is named/],
  [['deployment.spec.replicas'], /No object is named/],
  [['.spec.replicas'], /No object is named/],
  [['deploy/web', 'deploy/api', '.spec'], /Several objects/],
  [['-', '.spec'], /A message and a field/],
  [['Apply failed', 'with 1 conflict'], /Several messages/],
])('explain %j is refused', (words, what) => {
  expect(() => subjectOf(words, undefined)).toThrow(what);
});
