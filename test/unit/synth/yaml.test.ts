import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlOf } from '../../../src/synth/yaml.js';
import type { JsonObject } from '../../../src/util/json.js';

const treacherous = [
  ...['on', 'yes', 'y', 'N', 'no', 'off', 'TRUE', 'Null', 'null', '~', '', '<<', '=', '0777', '0o17', '0x1F', '0b11', '1e3', '1.', '.5'],
  ...['1_000', '190:20:30', '.inf', '-.INF', '.nan', '+1', '2001-01-01', '2001-12-14t21:59:43.10-05:00', 'trailing ', ' lead', '\t'],
  ...[
    'a\nb',
    'a\n',
    'a\n\n',
    '\n',
    '\n a',
    ' a\nb',
    'a\n b\n',
    'a\n \nb',
    'a\r\nb',
    '\r',
    'tab\there',
    'a\n\tb',
    '#x',
    'a #b',
    'a: b',
    'a:',
  ],
  ...[
    'key:',
    ':a',
    '- a',
    '-',
    '?',
    '? x',
    '%YAML',
    '---',
    '...',
    '! x',
    '&a',
    '*a',
    '"q"',
    "'q'",
    '| x',
    '> x',
    '@x',
    '`x',
    '{',
    '[a',
    'a, b',
  ],
  ...['emoji 😀', '\u2028', '\u0085', '\ufeff', '\u007f', '\u0000', '\ufffe', '\\', '\\n', '1.0', '0o8', 'nginx:1.27', 'a  b', '/var/run'],
  ...['fieldwise/shop/default/a%2Fb', 'http://x.example.com:80/a?b=c', '100m', '__proto__', 'a'.repeat(1500), '# '.repeat(700)],
];
/** Descriptions and generated text: long runs of few characters, which a matcher that backtracks never finishes. */
const long = fc
  .tuple(fc.stringMatching(/^[A-Za-z/_][\w./@%+=$(): -]{0,5}$/), fc.integer({ min: 1, max: 4000 }), fc.string({ maxLength: 3 }))
  .map(([unit, times, end]) => `${unit.repeat(Math.ceil(times / unit.length))}${end}`);
const sentences = fc
  .array(fc.constantFrom('The', 'issuer', 'e.g.', '(RFC 5280),', 'https://example.com:8080/a', 'is:', 'not -', '"set".', '#1'), {
    minLength: 1,
    maxLength: 300,
  })
  .map((words) => words.join(' '));
const text = fc.oneof(
  fc.constantFrom(...treacherous),
  long,
  sentences,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[0-9:._+\-eExo]{1,8}$/),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(true, false, null, 1e21, 1e-7, -1.5e300, 2 ** 53),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  ),
})).any;
const objects = fc.dictionary(text, value, { maxKeys: 4 }).map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);

/** The rule that the emitter had as an expression: exact, and for short texts only, because it backtracks. */
const plainByExpression = /^[A-Za-z/_][\w./@%+=$()-]*(?:[: ]?[\w./@%+=$()-]+)*$/;
const reserved = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?[0-9_]*)$/i;

describe('a text without quotes', () => {
  const isPlain = (value: string) => yamlOf({ k: value }) === `k: ${value}\n`;
  const expected = (value: string) => plainByExpression.test(value) && !reserved.test(value);

  it('is one of those that the expression takes: every text of up to 5 characters of each role', () => {
    const alphabet = [...'aZ/_0.@-: ,#\n\u0080é'];
    let texts = [''];
    for (let length = 1; length <= 5; length++) {
      texts = texts.flatMap((start) => alphabet.map((character) => start + character));
      expect(texts.filter((each) => isPlain(each) !== expected(each))).toEqual([]);
    }
  });

  it('is one of those that the expression takes: every character alone, first, inside and last', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code);
      for (const each of [character, `${character}a`, `a${character}a`, `a${character}`]) {
        if (isPlain(each) !== expected(each)) expect.fail(JSON.stringify(each));
      }
    }
  });
});

describe('yamlOf', () => {
  it.each(['1.1', '1.2'] as const)('reads back as it was by the rules of YAML %s', (version) => {
    fc.assert(
      fc.property(objects, (object) => {
        const written = yamlOf(object);
        expect(JSON.stringify(parse(written, { version }) ?? {})).toBe(JSON.stringify(object));
      }),
      { numRuns: Number(process.env.YAML_RUNS ?? 1500) },
    );
  });

  it.each([
    ['ends in a comma', `${'a'.repeat(1e6)},`],
    ['ends in a separator', `${'a '.repeat(1e6)}`],
    ['has words and two spaces at its end', `${'a:b '.repeat(1e6)} c`],
    ['is plain', 'a b'.repeat(1e6)],
    ['is one of blank lines', `a${'\n \t'.repeat(1e6)}b`],
    ['has blanks without a line', `a\n${' \t'.repeat(1e6)}b`],
  ])('writes a long text that %s', (_, hostile) => {
    expect(parse(yamlOf({ a: hostile }))).toEqual({ a: hostile });
  });

  it('reads back inside a file of several documents', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const written = `# a\n---\n${yamlOf(object)}---\n${yamlOf({ b: 1 })}`;
        expect(written.split(/^---$/m).length).toBe(3);
      }),
    );
  });

  it('is what a person would write', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'web', annotations: { 'example.com/note': 'a: b', empty: '' } },
      data: { 'run.sh': '#!/bin/sh\n\nexec true\n', port: '8080', on: 'yes' },
      list: [{ name: 'a', items: [1, [2, 3], {}, []] }, 'text', null, true],
    };
    expect(yamlOf(object)).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  annotations:
    example.com/note: "a: b"
    empty: ""
data:
  run.sh: |
    #!/bin/sh

    exec true
  port: "8080"
  "on": "yes"
list:
  - name: a
    items:
      - 1
      - - 2
        - 3
      - {}
      - []
  - text
  - null
  - true
`);
  });
});
