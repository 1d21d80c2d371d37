import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { codeSpan, nameText } from '../../../../../src/cli/render/formats/code-span.js';
import { onOneLine } from '../../../../../src/cli/render/printable.js';

const parser = new MarkdownIt({ html: true, linkify: true });

/** The texts of code spans, and all other text. */
function parsed(text: string): { readonly code: readonly string[]; readonly other: string } {
  const inline = parser.parseInline(text, {})[0]?.children ?? [];
  const code = inline.filter(({ type }) => type === 'code_inline').map(({ content }) => content);
  const other = inline.filter(({ type }) => type !== 'code_inline').map(({ type, content }) => (type === 'text' ? content : `<${type}>`));
  return { code, other: other.join('') };
}

describe('a code span', () => {
  test.each([
    ['plain', '`plain`'],
    ['', '`""`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['``` a', '```` ``` a ````'],
    [' a ', '`  a `'],
    ['</details>', '`</details>`'],
    ['a\n\n# b', '`a # b`'],
  ])('of %j is %s', (text, expected) => {
    expect(codeSpan(text)).toBe(expected);
  });

  test('holds every text, and nothing else changes its meaning', () => {
    const hostile = fc.stringMatching(/^[`<>|*_[\]()!@#a \\&;$~-]{0,40}$/);
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
        const line = onOneLine(text);
        const { code, other } = parsed(`sets ${codeSpan(text)} in ${codeSpan('x')}.`);
        expect(other).toBe('sets  in .');
        expect(code).toEqual([line === '' ? '""' : line.trim() === '' ? expect.stringMatching(/^ +$/) : line, 'x']);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a long text is cut, between characters', () => {
    expect(codeSpan('x'.repeat(1_001))).toBe(`\`${'x'.repeat(1_000)}… (1001 characters)\``);
    expect(codeSpan(`${'x'.repeat(999)}😀`)).toBe(`\`${'x'.repeat(999)}… (1001 characters)\``);
  });
});

test.each([
  ['helm', 'helm'],
  ['stack web', 'stack web'],
  ['kubectl-client-side-apply', 'kubectl-client-side-apply'],
  ['@team', '`@team`'],
  ['a_b_', '`a_b_`'],
  ['www.example.com', '`www.example.com`'],
  ['-', '`-`'],
])('the name %s is %s', (name, expected) => {
  expect(nameText(name)).toBe(expected);
});
