import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkFormat } from '../../../src/builders/check-format.js';
import { ValueCheck } from '../../../src/builders/check-value.js';
import { readCrd } from '../../../src/schema/index.js';
import { crdOf } from '../../harness/crd.js';

/** Builders accept the texts of a format that a kube-apiserver accepts. `test/apiserver/requests/string-formats.test.ts` compares the record with a server. */
const { texts, accepted } = JSON.parse(
  readFileSync(new URL('../../apiserver/requests/definitions/string-formats.json', import.meta.url), 'utf8'),
) as {
  readonly texts: readonly string[];
  readonly accepted: Readonly<Record<string, readonly string[]>>;
};

// Objects of the built-in API may have no bytes, and ends of lines among them.
const isOnlyBuiltIn = (format: string, text: string) => format === 'byte' && (text === '' || /[\r\n]/.test(text));

test.each(Object.entries(accepted))('the format %s', (format, some) => {
  const taken = texts.filter((text) => checkFormat(format, text) === undefined);
  expect(taken.filter((text) => !isOnlyBuiltIn(format, text))).toEqual(some);
});

test.each([
  ['email', 'nope', 'a@example.com'],
  ['uuid', 'nope', '123e4567-e89b-12d3-a456-426614174000'],
  ['hexcolor', 'nope', '#aabbcc'],
  ['uri', '', 'https://example.com'],
  ['mac', 'nope', '00:00:5e:00:53:01'],
  ['hostname', '-a', 'a.example.com'],
])('a build refuses what is no %s', (format, wrong, right) => {
  const [root] = readCrd(crdOf('f.example.com', 'F', { spec: { type: 'string', format } })).roots;
  const messages = [wrong, right].map((spec) => {
    const check = new ValueCheck(root!.schema, { root: root! });
    check.check({ spec }, root!.type);
    return check.diagnostics.map(({ path, message }) => `${path}: ${message}`);
  });
  expect(messages).toEqual([[`.spec: ${JSON.stringify(wrong)} is not a valid ${format}`], []]);
});
