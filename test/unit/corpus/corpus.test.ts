import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CorpusResult, runCorpus } from '../../corpus/run-corpus.js';
import { uncheckedReason } from '../../corpus/unchecked-reason.js';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-corpus-test-'));
const below = 'edge.example.com/sharedgateways';
let result: CorpusResult;

const header = 'apiVersion: edge.example.com/v1\nkind: SharedGateway\nmetadata: { name: x }\n';
// Beside a good corpus, files that ought to make the run fail.
const faults = {
  [`examples/${below}/90-unknown-field.yaml`]: `${header}spec: { class: a, clas: b }\n`,
  [`examples/${below}/91-out-of-bounds.yaml`]: `${header}spec: { class: a, replicas: 0 }\n`,
  [`examples/${below}/92-incomplete.yaml`]: `${header}spec: { replicas: 1 }\n`,
  [`examples/${below}/93-another-kind.yaml`]: 'apiVersion: v1\nkind: Pod\nmetadata: { name: x }\n',
  [`invalid/${below}/90.yaml`]: `${header}spec: { class: a }\n`,
  [`invalid/${below}/90.txt`]: '422 Invalid\nspec.class: Unsupported value: "a"\n',
};

beforeAll(async () => {
  cpSync(fixtures, directory, { recursive: true });
  for (const [path, text] of Object.entries(faults)) writeFileSync(join(directory, path), text);
  result = await runCorpus(directory, () => {});
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('what a server accepted compiles and builds to itself; what it refused is refused, or is beyond a schema', () => {
  const failed = result.outcomes.filter(({ failure }) => failure !== undefined).map(({ what }) => what);
  expect(failed).toEqual([
    `examples/${below}/93-another-kind.yaml`,
    `examples/${below}/90-unknown-field.yaml: compiles as a literal`,
    `examples/${below}/90-unknown-field.yaml: compiles as fromObject(…)`,
    `examples/${below}/90-unknown-field.yaml: builds to itself`,
    `examples/${below}/91-out-of-bounds.yaml: builds to itself`,
    `examples/${below}/92-incomplete.yaml: builds to itself`,
    `invalid/${below}/90.yaml`,
  ]);
  expect(result.outcomes.filter(({ failure }) => failure === undefined)).toHaveLength(19);
});

test.each([
  ['01', /refused by compiler: TS2353: .*replcas/],
  ['02', /refused by build: .*0 is not at least 1/],
  ['03', /refused by complete build: .*requires this field/],
  ['04', /beyond a schema: a CEL rule at .spec: self.class != 'internal'/],
  ['05', /refused by the YAML reader: Map keys must be unique/],
  ['06', /beyond a schema: metadata.name: the server's rule about every object/],
  ['07', /refused by build: .*the set has "a" twice/],
])('invalid/%s', (name, note) => {
  expect(result.outcomes.find(({ what }) => what === `invalid/${below}/${name}.yaml`)?.note).toMatch(note);
});

test('a rule that compares with the old object is about updates', () => {
  const node = {
    type: 'object',
    properties: { a: { 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'a never changes' }] } },
  };
  const crd = { spec: { group: 'g.example', versions: [{ name: 'v1', schema: { openAPIV3Schema: node } }] } };
  expect(uncheckedReason(crd, 'g.example/v1', '422 Invalid\na: Invalid value: "x": a never changes')).toBe(
    'a rule about updates at .a: self == oldSelf',
  );
  expect(uncheckedReason(crd, 'g.example/v2', '422 Invalid\na: Invalid value: "x": a never changes')).toBeUndefined();
});
