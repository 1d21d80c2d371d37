import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'fieldwise';
import { expect, test } from 'vitest';
import { declare } from './declare.js';

/** Returns the objects that a form of the program declares, by stack. */
function synthesized(form: 'builders' | 'literals'): unknown {
  const directory = mkdtempSync(join(tmpdir(), 'custom-resources-'));
  try {
    const app = new App({ name: 'shop', outdir: directory });
    declare(app, form);
    app.synth();
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => /\.yaml$/.test(file));
    return Object.fromEntries(files.map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('builders and literals declare the same', () => {
  const literals = synthesized('literals');
  expect(Object.keys(literals as object).length).toBeGreaterThan(1);
  expect(synthesized('builders')).toEqual(literals);
});
