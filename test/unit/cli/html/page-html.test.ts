import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jsonForHtml, pageHtml } from '../../../../src/cli/html/page-html.js';
import { valueRows } from '../../../../src/cli/html/value-rows.js';
import { valueYaml } from '../../../../src/cli/html/value-text.js';
import type { Json } from '../../../../src/util/json.js';

test.each(['</script><script>', '<!--<script>', ']]>', '\u2028', '__proto__'])('%j cannot end the data of a page', (text) => {
  const json = jsonForHtml({ [text]: text });
  expect(json).not.toContain('<');
  expect(Object.entries(JSON.parse(json))).toEqual([[text, text]]);
});

describe.each(['owners-page', 'diff-page'] as const)('%s', (script) => {
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

const lines = (count: number, change: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, index) => change[index] ?? `line ${index}`).join('\n');

describe('values side by side', () => {
  test('short values', () => {
    expect(valueRows(1, 2)).toEqual([{ old: '1', new: '2' }]);
    expect(valueRows(undefined, 'a')).toEqual([{ new: 'a' }]);
    expect(valueRows('a', undefined)).toEqual([{ old: 'a' }]);
    expect(valueRows(undefined, undefined)).toEqual([]);
  });

  test('a changed line of many beside its new line, with the lines around it', () => {
    const rows = valueRows(lines(20), lines(20, { 10: 'changed' }));
    expect(rows).toHaveLength(7);
    expect(rows[0]).toEqual({ old: 'line 7', new: 'line 7', omitted: 8 });
    expect(rows[3]).toEqual({ old: 'line 10', new: 'changed' });
  });

  test('added and removed lines have nothing beside them', () => {
    expect(valueRows('a\nb', 'a\nb\nc')).toContainEqual({ new: 'c' });
    expect(valueRows('a\nx\nb', 'a\nb')).toContainEqual({ old: 'x' });
  });

  test('texts without a common line stay whole, and take no time', () => {
    const other = Array.from({ length: 20_000 }, (_, index) => `other ${index}`).join('\n');
    const rows = valueRows(lines(20_000), other);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.new).toContain('other 19999');
  });

  test('equal texts are one row', () => {
    expect(valueRows('a\nb', 'a\nb')).toEqual([{ old: '|-\na\nb', new: '|-\na\nb' }]);
  });
});
