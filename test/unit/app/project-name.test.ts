import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { projectName } from '../../../src/app/project-name.js';
import { App } from '../../../src/synth/app.js';

test.each<{ what: string; files: Readonly<Record<string, string>>; name: string | undefined }>([
  { what: 'that of package.json', files: { 'package.json': '{ "name": "shop" }' }, name: 'shop' },
  { what: 'that of a scoped package', files: { 'package.json': '{ "name": "@team/my_Shop" }' }, name: 'my-shop' },
  { what: 'that of the package around the directory', files: { '../package.json': '{ "name": "shop" }' }, name: 'shop' },
  {
    what: 'that of fieldwise.yaml, as for the command line',
    files: { 'package.json': '{ "name": "shop" }', 'fieldwise.yaml': 'name: store\napp: main.ts\n' },
    name: 'store',
  },
  {
    what: 'that of package.json for a fieldwise.yaml without one',
    files: { 'package.json': '{ "name": "shop" }', 'fieldwise.yaml': 'app: main.ts\n' },
    name: 'shop',
  },
  { what: 'none for a package without one', files: { 'package.json': '{}' }, name: undefined },
  { what: 'none for a package that is not JSON', files: { 'package.json': '{' }, name: undefined },
])('an app without a name gets $what', ({ files, name }) => {
  const directory = join(mkdtempSync(join(tmpdir(), 'fieldwise-name-')), 'project');
  onTestFinished(() => rmSync(dirname(directory), { recursive: true }));
  mkdirSync(directory);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  expect(projectName(directory)).toBe(name);
});

test('the command line names apps itself', () => {
  expect(new App().name).toBe('fieldwise');
  vi.stubEnv('FIELDWISE_PROJECT_DIR', process.cwd());
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(new App().name).toBeUndefined();
});

test('instances are told by brands, and those of a derived class by themselves', () => {
  class ShopApp extends App {}
  const [app, shop] = [new App({ name: 'a' }), new ShopApp({ name: 'b' })];
  expect([app instanceof App, shop instanceof App, shop instanceof ShopApp, app instanceof ShopApp]).toEqual([true, true, true, false]);
});
