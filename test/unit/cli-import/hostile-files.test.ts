import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { filesOfTarball } from '../../../src/cli/import/read/archive.js';
import { ImportProject, sharedGateway } from './import-program.js';
import { tarball } from './loopback.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

test('a CRD of 20 MB', async () => {
  const text = 'x'.repeat(100);
  const many = Array.from(
    { length: 1_000 },
    (_, index) => `                p${index}: { type: string, description: "${text.repeat(200)} ${index}" }\n`,
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

/** The fixture with more fields in its spec. */
const withFields = (fields: readonly string[]) =>
  sharedGateway.replace(/( {12}status:)/, `${fields.map((field) => `                ${field}\n`).join('')}$1`);
const fields = (count: number, schemaOf: (index: number) => string) =>
  withFields(Array.from({ length: count }, (_, index) => `field${index}: ${schemaOf(index)}`));

/** Names without a letter or digit, each another. */
function dashes(index: number): string {
  return index === 0 ? '' : dashes(Math.floor(index / 3)) + '-_.'[index % 3];
}

test('1,000 types and fields that all want one name get one each', async () => {
  const many = Array.from(
    { length: 3000 },
    (_, index) => `"${dashes(index + 1)}": { type: object, properties: { a${index}: { type: string } } }`,
  );
  await project.put('dashes.yaml', withFields(many));
  await project.import(['dashes.yaml']);
  const lock = JSON.parse(await project.read('imports/fieldwise.lock.json'));
  expect(lock.names['edge.example.com/v1']).toMatchObject({
    SharedGatewaySpec2: expect.any(String),
    SharedGatewaySpec1001: expect.any(String),
  });
});

/** Maps of a thousand keys each: the YAML parser looks for each key among all those before it in its map. */
const shared = Array.from(
  { length: 22 },
  (_, map) => `  m${map}: {${Array.from({ length: 1000 }, (_, key) => `k${key}: v`).join(', ')}}`,
).join('\n');
const thousandTexts = `{ type: object, properties: {${Array.from({ length: 1000 }, (_, index) => `p${index}: { type: string }`).join(', ')}} }`;

test.each([
  ['aliases that unfold without end', bomb, 'source-too-large'],
  ['an alias that contains itself', 'a: &a [*a, *a]', 'yaml-invalid'],
  ['YAML that nests 20,000 deep', `a: ${'['.repeat(20_000)}`, 'yaml-invalid'],
  ['JSON that nests 20,000 deep', deep(20_000), 'crd-invalid'],
  [
    'a CRD whose conversion nests 20,000 deep',
    `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"a.b","scope":"Cluster","names":{"kind":"T","plural":"ts"},"versions":[{"name":"v1"}],"conversion":${deep(20_000)}}}`,
    'schema-too-deep',
  ],
  ['aliases that repeat a large map', `a: &a\n${shared}\nb: [${Array(95).fill('*a').join(', ')}]\n`, 'source-too-large'],
  ['10,001 types', fields(10_001, (index) => `{ type: object, properties: { a${index}: { type: string } } }`), 'schema-too-large'],
  ['50,000 fields and more', fields(50, () => thousandTexts), 'schema-too-large'],
  ['a path of 10,000 characters and more', withFields([`? ${'x'.repeat(10_000)}\n                : { type: string }`]), 'schema-too-large'],
  ['YAML of more than 24 MB', `a: ${'x'.repeat(25 * 1024 * 1024)}`, 'source-too-large'],
  ['a file of more than 64 MB', `{"a": "${'x'.repeat(65 * 1024 * 1024)}"}`, 'source-too-large'],
  ['a group that climbs', sharedGateway.replace('group: edge.example.com', 'group: ../../etc'), 'crd-invalid'],
  ['a plural that climbs', sharedGateway.replace('plural: sharedgateways', 'plural: ../x'), 'crd-invalid'],
])(
  '%s: refused, and nothing written',
  async (_, text, code) => {
    await project.put('hostile.yaml', text);
    await expect(project.import(['hostile.yaml'])).rejects.toMatchObject({ name: 'FieldwiseError', code });
    expect(await project.files('imports')).toEqual([]);
  },
  180_000,
);

test('one description of 20 MB', async () => {
  await project.put('long.json', JSON.stringify({ ...parse(sharedGateway), description: 'word '.repeat(4_000_000) }));
  expect((await project.import(['long.json'])).stdout).toContain('SharedGateway');
});

test('an archive that unpacks to more than its limit ends there', async () => {
  const bomb = tarball({ 'edge-1/a.bin': '\0'.repeat(3_000_000), 'edge-1/crd.yaml': sharedGateway });
  expect(bomb.length).toBeLessThan(10_000);
  const read = async (limit: number) => {
    const paths: string[] = [];
    for await (const { path } of filesOfTarball(bomb, () => false, limit)) paths.push(path);
    return paths;
  };
  await expect(read(2 * 1024 * 1024)).rejects.toThrow('the archive unpacks to more than 2 MB');
  expect(await read(4 * 1024 * 1024)).toEqual(['edge-1/a.bin', 'edge-1/crd.yaml']);
});
