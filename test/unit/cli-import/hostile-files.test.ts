import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportProject, sharedGateway } from './import-program.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

test('a CRD of 20 MB', async () => {
  const text = 'x'.repeat(100);
  const many = Array.from(
    { length: 10_000 },
    (_, index) => `                p${index}: { type: string, description: "${text.repeat(20)} ${index}" }\n`,
  );
  await project.put('big.yaml', sharedGateway.replace(/( {12}status:)/, `                ${many.join('').trimStart()}$1`));
  expect((await project.read('big.yaml')).length).toBeGreaterThan(20_000_000);
  const { stdout } = await project.import(['big.yaml', '--no-docs']);
  expect(stdout).toContain('SharedGateway');
}, 120_000);

const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghij'
  .split('')
  .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(', ')}]\n`)
  .join('')}`;
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

test.each([
  ['aliases that unfold without end', bomb, 'yaml-invalid'],
  ['YAML that nests 20,000 deep', `a: ${'['.repeat(20_000)}`, 'yaml-invalid'],
  ['JSON that nests 20,000 deep', deep(20_000), 'crd-invalid'],
  [
    'a CRD whose conversion nests 20,000 deep',
    `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"a.b","scope":"Cluster","names":{"kind":"T","plural":"ts"},"versions":[{"name":"v1"}],"conversion":${deep(20_000)}}}`,
    'schema-too-deep',
  ],
  ['a group that climbs', sharedGateway.replace('group: edge.example.com', 'group: ../../etc'), 'crd-invalid'],
  ['a plural that climbs', sharedGateway.replace('plural: sharedgateways', 'plural: ../x'), 'crd-invalid'],
])(
  '%s: refused, and nothing written',
  async (_, text, code) => {
    await project.put('hostile.yaml', text);
    const started = Date.now();
    await expect(project.import(['hostile.yaml'])).rejects.toMatchObject({ name: 'FieldwiseError', code });
    expect(Date.now() - started).toBeLessThan(15_000);
    expect(await project.files('imports')).toEqual([]);
  },
  30_000,
);
