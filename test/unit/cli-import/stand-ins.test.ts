import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { gatewayNamed, ImportProject, sharedGateway } from './import-program.js';

/** Files that are something else than the CRD that people take them for. */

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';

test.each([
  [
    'an HTML page that does not parse as YAML',
    '<!DOCTYPE html>\n<html><a b="c: d">: [</html>',
    'The source is an HTML page, not YAML or JSON',
  ],
  ['an HTML page that parses as a text', '<html><body>Not found</body></html>\n', 'The source is an HTML page, not YAML or JSON'],
  ['a pointer of Git LFS', pointer, 'The file is a pointer of Git LFS, not the content that it stands for'],
])('%s', async (_, text, message) => {
  await project.put('crd.yaml', text);
  await expect(project.import(['crd.yaml'])).rejects.toMatchObject({ code: 'yaml-invalid', message, location: { file: 'crd.yaml' } });
});

test('a plain list of CRDs, in JSON and in YAML', async () => {
  const crds = [sharedGateway, gatewayNamed('Other')].map((text) => parse(text) as object);
  await project.put('crds.json', JSON.stringify(crds));
  await project.put('crds.yaml', crds.map((crd) => `- ${JSON.stringify(crd)}\n`).join(''));
  for (const file of ['crds.json', 'crds.yaml']) {
    const { stdout, exitCode } = await project.import([file, '--outdir', file.replace('.', '-')]);
    expect([stdout, exitCode]).toEqual([`${file.replace('.', '-')}/edge.example.com/v1.ts: Other, SharedGateway\n`, 0]);
  }
});

test('another list is described as before', async () => {
  await project.put('list.yaml', '- a\n- b: 1\n');
  await expect(project.import(['list.yaml'])).rejects.toMatchObject({
    code: 'crd-invalid',
    message: 'There is no CustomResourceDefinition, only 1 document of other kinds (1 without a kind)',
  });
});
