import { expect, test } from 'vitest';
import { causeText } from '../../../../src/engine/report/immutable.js';

const fields = Array.from({ length: 30 }, (_, index) => `"Field${index}":null`).join(',');

// Messages of Kubernetes 1.36 and of earlier versions for the template of a Job, and for the selector of a Deployment.
test.each([
  ['pages of JSON', `Invalid value: {${fields},"Spec":{"a":[1]}}: field is immutable`, '.spec: field is immutable'],
  [
    'a Go struct',
    'Invalid value: core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"a: b"}}: field is immutable',
    '.spec: field is immutable',
  ],
  ['a Go map', 'Invalid value: map[string]string{"a":"b"}: field is immutable', '.spec: field is immutable'],
  ['a Go list', 'Invalid value: []core.Volume{core.Volume{Name:"a"}}: field is immutable', '.spec: field is immutable'],
  ['a short value', 'Invalid value: {"matchLabels":{"app":"b"}}: field is immutable', null],
  ['no value', 'Forbidden: updates to statefulset spec for fields other than replicas are forbidden', null],
  ['text that looks like one', 'Invalid value: "core.PodTemplateSpec{": must not have braces', null],
])('%s', (_, message, expected) => {
  expect(causeText({ field: 'spec', message, reason: 'FieldValueInvalid' })).toBe(expected ?? `.spec: ${message}`);
});
