/** The schema of an object with a field of each type that expressions know, and such an object. */
const text = { type: 'string' };
const item = { type: 'object', required: ['k'], properties: { k: text, v: text } };

export const subjectSchema = {
  type: 'object',
  properties: {
    s: text,
    i: { type: 'integer' },
    n: { type: 'number' },
    b: { type: 'boolean' },
    l: { type: 'array', items: text },
    li: { type: 'array', items: { type: 'integer' } },
    m: { type: 'object', additionalProperties: text },
    o: { type: 'object', properties: { a: text, c: { type: 'integer' } } },
    ios: { 'x-kubernetes-int-or-string': true },
    d: { type: 'string', format: 'duration' },
    t: { type: 'string', format: 'date-time' },
    date: { type: 'string', format: 'date' },
    by: { type: 'string', format: 'byte' },
    nu: { type: 'string', nullable: true },
    'a-b': text,
    namespace: text,
    set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    ml: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: item },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

export const subject = {
  s: 'hello',
  i: 5,
  n: 1.5,
  b: true,
  l: ['a', 'b', 'c'],
  li: [3, 1, 2],
  m: { x: '1', y: '2' },
  o: { a: 'q' },
  ios: 7,
  d: '1h30m',
  t: '2024-01-15T14:30:45.123Z',
  date: '2024-02-29',
  by: 'aGVsbG8=',
  nu: null,
  'a-b': 'dash',
  namespace: 'ns',
  set: ['q', 'p'],
  ml: [
    { k: 'a', v: '1' },
    { k: 'b', v: '2' },
  ],
  any: { z: 1 },
};
