import { expect, test } from 'vitest';
import { splitDocuments } from '../../../../src/cli/documents/split-documents.js';

test.each([
  { of: 'nothing', stream: '', contents: [] },
  { of: 'comments and markers only', stream: '# a\n---\n\n---\n  # b\n...\n---', contents: [] },
  { of: 'a document without a marker', stream: 'a: 1\n', contents: [1] },
  { of: 'two documents', stream: '---\na: 1\n---\nb: 1\n', contents: [2, 4] },
  { of: 'comments before the content', stream: '---\n# Source: web\n\na: 1\n', contents: [4] },
  { of: 'content beside the marker', stream: '--- {a: 1}\n--- # c\nb: 1', contents: [1, 3] },
  { of: 'the end marker', stream: 'a: 1\n...\n# c\n---\nb: 1\n', contents: [1, 5] },
  { of: 'content after the end marker', stream: 'a: 1\n...\nb: 1\n', contents: [1, 3] },
  { of: 'directives', stream: '%YAML 1.1\n---\na: 1\n', contents: [3] },
  { of: 'CRLF', stream: '---\r\na: 1\r\n---\r\nb: 1\r\n', contents: [2, 4] },
  { of: 'dashes that are no marker', stream: '---a: 1\n----\n', contents: [1] },
  { of: 'dashes inside a block scalar', stream: 'a: |\n  ---\n  b\n', contents: [1] },
])('$of: lines of content $contents', ({ stream, contents }) => {
  expect(splitDocuments(stream).map(({ contentLine }) => contentLine)).toEqual(contents);
});

test('100,000 empty documents and a long comment cost no time', () => {
  expect(splitDocuments('---\n'.repeat(100_000))).toEqual([]);
  expect(splitDocuments(`#${' -'.repeat(1_000_000)}\n`)).toEqual([]);
});
