import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { FieldwiseError } from '../../../src/entry/index.js';
import { ConversionError } from '../../../src/entry/ssa.js';
import { ApiError, isNotFound } from '../../../src/kubernetes/status.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const installed = mkdtempSync(join(tmpdir(), 'fieldwise-copy-'));
afterAll(() => rmSync(installed, { recursive: true, force: true }));

/** The modules as another installed copy of Fieldwise has them. */
async function anotherCopy() {
  for (const name of ['lib', 'package.json']) cpSync(join(root, name), join(installed, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  const load = (module: string) => import(/* @vite-ignore */ pathToFileURL(join(installed, 'lib/src', module)).href);
  const [{ FieldwiseError }, { ConversionError }, { ApiError }] = await Promise.all(
    ['entry/index.js', 'entry/ssa.js', 'kubernetes/status.js'].map(load),
  );
  return { FieldwiseError, ConversionError, ApiError };
}

test('an error of another copy is an instance of its class here, and of no other', async () => {
  const other = await anotherCopy();
  expect(other.ApiError).not.toBe(ApiError);
  const errors = [
    new other.FieldwiseError('option-invalid', 'usage', 'x'),
    new other.ApiError('GET', '/', 404, ''),
    new other.ConversionError('x'),
  ];
  const classes = [FieldwiseError, ApiError, ConversionError];
  for (const [index, error] of errors.entries()) {
    expect(error).toBeInstanceOf(Error);
    expect(classes.map((type) => error instanceof type)).toEqual(classes.map((_, at) => at === index));
  }
  expect(isNotFound(errors[1])).toBe(true);
});
