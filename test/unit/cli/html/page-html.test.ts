import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PageValue } from '../../../../src/cli/html/page-data.js';
import { jsonForHtml, pageHtml } from '../../../../src/cli/html/page-html.js';
import { pageValue } from '../../../../src/cli/html/page-value.js';
import { valueYaml } from '../../../../src/cli/html/value-text.js';
import type { Json } from '../../../../src/util/json.js';

test.each(['</script><script>', '<!--<script>', ']]>', '\u2028', '__proto__'])('%j cannot end the data of a page', (text) => {
  const json = jsonForHtml({ [text]: text });
  expect(json).not.toContain('<');
  expect(Object.entries(JSON.parse(json))).toEqual([[text, text]]);
});

describe.each(['owners-page', 'diff-page', 'list-page'] as const)('%s', (script) => {
  test('permits its own script and style, and nothing else', async () => {
    const html = await pageHtml(script, 'Title', { text: '<script>' });
    const [, policy] = /Content-Security-Policy" content="(.*?)"/.exec(html) ?? [];
    const digestOf = (element: string) => {
      const [, content = ''] = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(html) ?? [];
      return `sha256-${createHash('sha256').update(content).digest('base64')}`;
    };
    expect(policy).toBe(
      `default-src 'none'; script-src '${digestOf('script')}'; style-src '${digestOf('style')}'; base-uri 'none'; form-action 'none'`,
    );
  });

  test('its script uses no markup, no evaluation and no request', async () => {
    const html = await pageHtml(script, 'Title', {});
    expect(html).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|fetch\(|XMLHttpRequest|https?:/);
  });
});

test.each<readonly [value: Json, text: string]>([
  ['a', 'a'],
  ['true', '"true"'],
  [5, '5'],
  [null, 'null'],
  [{}, '{}'],
  [[], '[]'],
  [['a', { b: 1 }], '- a\n- b: 1'],
  [{ a: { b: ['c'] } }, 'a:\n  b:\n    - c'],
  ['one\ntwo\n', '|\none\ntwo'],
  ['\u202e', '"<U+202E>"'],
  ['\u001b[31m', '"\\u001b[31m"'],
])('%j as YAML', (value, text) => {
  expect(valueYaml(value)).toBe(text);
});

test('a number beyond 2^53 keeps its digits', () => {
  expect(valueYaml(12345678901234567890n as unknown as Json)).toBe('12345678901234567890');
});

describe('an old and a new value', () => {
  test.each<readonly [oldValue: Json | undefined, newValue: Json | undefined, value: PageValue]>([
    [1, 2, { old: '1', new: '2' }],
    [undefined, 'a', { new: 'a' }],
    ['a', undefined, { old: 'a' }],
    [undefined, undefined, {}],
    ['a', 'a', { stays: 'a' }],
    ['a\nb', 'a\nb', { stays: 'a\nb' }],
    [undefined, 'a\nb\n', { new: 'a\nb\n' }],
    ['a\nb', 'a\nb\nc', { lines: ' a\n-b\n+b\n+c' }],
    ['a', 'a\nb\n', { lines: '-a\n+a\n+b' }],
    [{ a: 1, b: [2] }, { a: 1, b: [3] }, { lines: ' a: 1\n b:\n-  - 2\n+  - 3' }],
    ['one\n\u202etwo', 'one\n3', { lines: ' one\n-<U+202E>two\n+3' }],
  ])('%j and %j', (oldValue, newValue, value) => {
    expect(pageValue(oldValue, newValue)).toEqual(value);
  });

  const lines = (count: number, change: Readonly<Record<number, string>> = {}) =>
    Array.from({ length: count }, (_, index) => change[index] ?? `line ${index}`).join('\n');

  test('a changed line of many has three lines around it', () => {
    const { lines: text = '' } = pageValue(lines(20), lines(20, { 10: 'changed' })) as { readonly lines?: string };
    expect(text.split('\n')).toEqual([
      '@@ line 8 → 8 @@',
      ...[7, 8, 9].map((line) => ` line ${line}`),
      '-line 10',
      '+changed',
      ...[11, 12, 13].map((line) => ` line ${line}`),
    ]);
  });

  test('texts without a common line stay whole, and take no time', () => {
    const other = Array.from({ length: 20_000 }, (_, index) => `other ${index}`).join('\n');
    const { lines: text = '' } = pageValue(lines(20_000), other) as { readonly lines?: string };
    expect(text.split('\n')).toHaveLength(40_000);
    expect(text).toContain('+other 19999');
  });
});
