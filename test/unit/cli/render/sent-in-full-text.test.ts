import { expect, test } from 'vitest';
import { sentInFullText } from '../../../../src/cli/render/sent-in-full-text.js';

const seen = (kind: string, seenBy: string, objects: number) => ({ apiVersion: 'v1', kind, seenBy, objects });
const text = (...all: readonly ReturnType<typeof seen>[]) => sentInFullText({ event: 'sent-in-full', seen: all });

test.each<{ title: string; all: ReturnType<typeof seen>[]; line: string }>([
  {
    title: 'kinds are told together by what sees them',
    all: [seen('ConfigMap', 'A a', 2), seen('Service', 'A a', 1), seen('Job', 'B b', 3)],
    line: 'sent in full, changed or not: 2 ConfigMap, 1 Service because of A a; 3 Job because of B b',
  },
  {
    title: 'a kind of two groups is one',
    all: [seen('Event', 'A a', 2), { ...seen('Event', 'A a', 1), apiVersion: 'events.k8s.io/v1' }],
    line: 'sent in full, changed or not: 3 Event because of A a',
  },
  {
    title: 'of many kinds, the first are named',
    all: Array.from({ length: 10_000 }, (_, index) => seen(`Kind${index}`, 'A a', 1)),
    line: 'sent in full, changed or not: 1 Kind0, 1 Kind1, 1 Kind2, 1 Kind3, 9996 more kinds because of A a',
  },
  {
    title: 'of many reasons, the first are named',
    all: Array.from({ length: 5 }, (_, index) => seen('Job', `A a${index}`, 1)),
    line: 'sent in full, changed or not: 1 Job because of A a0; 1 Job because of A a1; 1 Job because of A a2; 2 more reasons',
  },
  {
    title: 'it is one line',
    all: [seen('Job', 'A a\ndone: forged', 1)],
    line: 'sent in full, changed or not: 1 Job because of A a done: forged',
  },
])('$title', ({ all, line }) => {
  expect(text(...all)).toBe(line);
});
