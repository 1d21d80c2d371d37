import { afterEach, beforeEach, expect, test } from 'vitest';
import { distinctCrds } from '../../../src/cli/import/read/distinct-crds.js';
import { parseSpec } from '../../../src/cli/import/read/spec.js';
import { ImportProject, sharedGateway } from './import-program.js';
import { loopback } from './loopback.js';

/** A source that is named twice, or that another source contains, is one source. */

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const written = 'imports/edge.example.com/v1.ts: SharedGateway\n';
const copy = /^note: (\S+): skipped 1 copy of CustomResourceDefinitions/m;

test.each([
  ['a file twice', ['crds/sub/gw.yaml', 'crds/sub/gw.yaml'], undefined],
  ['a file in two spellings', ['crds/sub/gw.yaml', './crds/sub/gw.yaml'], './crds/sub/gw.yaml'],
  ['a directory and a file of it', ['crds', 'crds/sub/gw.yaml'], 'crds/sub/gw.yaml'],
  ['a file and its directory', ['crds/sub/gw.yaml', 'crds'], 'crds'],
  ['a directory and one below it', ['crds', 'crds/sub'], 'crds/sub'],
])('%s', async (_, specs, noted) => {
  await project.put('crds/sub/gw.yaml', sharedGateway);
  await project.put('fieldwise.yaml', JSON.stringify({ imports: specs }));
  const named = await project.import(specs);
  expect([named.stdout, copy.exec(named.stderr)?.[1], named.exitCode]).toEqual([written, noted, 0]);
  const configured = await project.import([]);
  expect([configured.stdout, copy.exec(configured.stderr)?.[1], configured.exitCode]).toEqual(['1 file is unchanged.\n', noted, 0]);
  await project.import([...specs, '--frozen']);
});

test('a URL twice is read once, and keeps its list types in the lock file', async () => {
  const server = await loopback({ '/gw.yaml': sharedGateway });
  const url = `${server.url}/gw.yaml`;
  try {
    await project.import([url, '--list-type', 'SharedGateway:.spec.listeners=map[port]', '--outdir', 'one']);
    const once = server.asked.length;
    await project.import([url, url, '--list-type', 'SharedGateway:.spec.listeners=map[port]', '--outdir', 'two']);
    expect(server.asked).toHaveLength(2 * once);
    expect(await project.read('two/fieldwise.lock.json')).toBe(await project.read('one/fieldwise.lock.json'));
    expect(await project.read('one/fieldwise.lock.json')).toContain('SharedGateway:.spec.listeners=map[port]');
  } finally {
    await server.close();
  }
});

test('standard input twice', async () => {
  expect((await project.import(['-', '-'], { stdin: sharedGateway })).stdout).toBe(written);
});

const version = (name: string) => ({ name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: { type: 'object' } } });
const document = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: { group: 'a.example.com', names: { kind: 'A', plural: 'as' }, versions: [version('v1'), version('v2')] },
};
const sourceOf = (wanted: string, only?: string) => ({
  spec: parseSpec(`cluster:${wanted}`, false),
  crds: [{ document, location: 'cluster:as.a.example.com', ...(only === undefined ? {} : { version: only }) }],
  openApi: [],
  skipped: [],
  problems: [],
  templates: [],
  alterations: [],
});

test.each([
  ['two versions of a CRD', ['v1', 'v2'], ['v1', 'v2']],
  ['a version and the whole CRD', ['v1', undefined], [undefined]],
  ['the whole CRD between two of its versions', ['v1', undefined, 'v2'], [undefined]],
])('a cluster: %s', (_, wanted, read) => {
  const sources = distinctCrds(wanted.map((only) => sourceOf(only === undefined ? 'a.example.com' : `a.example.com/${only}`, only)));
  const chosen = sources.flatMap(({ crds }) => crds.filter(({ isCopy }) => !isCopy));
  expect(chosen.map(({ version: only }) => only)).toEqual(read);
  const notes = sources.flatMap(({ skipped }) => skipped.map(({ text }) => text));
  expect(notes).toEqual(Array(wanted.length - read.length).fill('cluster:as.a.example.com is named by two sources'));
});
