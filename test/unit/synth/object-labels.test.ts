import { expect, it } from 'vitest';
import { Stack } from '../../../src/entry/index.js';
import type { FieldwiseError } from '../../../src/util/error.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const object = (metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } });

/** The verdicts of a server on such texts are in the tests of the API server, which has the same functions. */
it.each([
  [{ labels: { app: 'a b' } }, 'The label app cannot have the value "a b": a valid label must be an empty string or consist', 'labels'],
  [{ labels: { app: 'a'.repeat(64) } }, 'must be no more than 63 bytes', 'labels'],
  [{ labels: { 'a b': 'c' } }, 'No label can be named "a b": name part must consist', 'labels'],
  [{ labels: { 'a/b/c': 'd' } }, 'No label can be named "a/b/c": a valid label key', 'labels'],
  [{ annotations: { 'a b': 'any text' } }, 'No annotation can be named "a b": name part must consist', 'annotations'],
])('refuses %o at synth, as a server does', (metadata, message, member) => {
  const error = synthError((app) => new Stack(app, 'web', { namespace: 'shop' }).own(object(metadata))) as FieldwiseError;
  expect(error.message).toContain(message);
  expect(error).toMatchObject({
    code: 'intent-invalid',
    location: { field: `.metadata.${member}`, construct: expect.stringMatching(/^shop\/web\/own-/) },
  });
});

it('takes what a server takes', () => {
  const metadata = { labels: { 'example.com/Name': '', app: 'a.b_c-d' }, annotations: { 'Example.com/note': 'any text, of any length' } };
  const { objects } = synthesized((app) => new Stack(app, 'web', { namespace: 'shop' }).own(object(metadata)));
  expect(objects('web')).toMatchObject([{ metadata }]);
});
