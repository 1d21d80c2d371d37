import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject, sharedGateway } from './import-program.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const warning = (path: string, kinds: string) =>
  `warning: ${path} (${kinds}) is from an earlier import, and this import no longer writes it. If no program needs it, remove it: rm ${path}\n`;
const warned = ({ stderr }: { readonly stderr: string }) => stderr.split(/(?<=\n)/).filter((line) => line.startsWith('warning: '));
const old = 'imports/edge.example.com/v1alpha1.ts';

/** The fixture with its version under another name. */
const inVersion = (version: string) => sharedGateway.replaceAll(/name: v1$/gm, `name: ${version}`);

test('a version that its CRD has lost: the old module stays and is named, with what removes it, at each import', async () => {
  await project.put('crd.yaml', inVersion('v1alpha1'));
  expect(warned(await project.import(['crd.yaml']))).toEqual([]);
  await project.put('crd.yaml', sharedGateway);
  for (const _ of [1, 2]) expect(warned(await project.import(['crd.yaml']))).toEqual([warning(old, 'SharedGateway')]);
  expect(await project.files('imports')).toContain(old);
});

test('an import of one source says nothing of modules of others, nor of files that a person wrote', async () => {
  await project.put('a.yaml', sharedGateway);
  await project.put('b.yaml', inVersion('v1').replaceAll('edge.example.com', 'other.example.com'));
  await project.import(['a.yaml']);
  await project.put('imports/edge.example.com/notes.ts', '// mine\n');
  expect(warned(await project.import(['b.yaml']))).toEqual([]);
});

test('the import of the whole project names every generated module that it does not write', async () => {
  await project.put('a.yaml', sharedGateway);
  await project.put('b.yaml', sharedGateway.replaceAll('edge.example.com', 'other.example.com'));
  await project.put('fieldwise.yaml', 'imports: [a.yaml, b.yaml]\n');
  expect(warned(await project.import([]))).toEqual([]);
  await project.put('fieldwise.yaml', 'imports: [a.yaml]\n');
  await project.put('imports/own/fieldwise.lock.json', '{}');
  await project.put('imports/own/v1.ts', await project.read('imports/edge.example.com/v1.ts'));
  expect(warned(await project.import([]))).toEqual([warning('imports/other.example.com/v1.ts', 'SharedGateway')]);
});
