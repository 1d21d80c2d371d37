import { beforeAll, expect, inject, test } from 'vitest';
import { dependentDefaults, fixedDefaults } from '../../../codegen/facts/defaults.js';
import { immutableFields } from '../../../codegen/facts/immutable.js';
import type { RootType } from '../../../src/schema/index.js';
import type { Json, JsonObject } from '../../../src/util/json.js';
import { ApiCallError } from '../../harness/api-client.js';
import type { ObjectRef } from '../../harness/cluster.js';
import { TestEnvironment } from '../../harness/test-environment.js';
import { at, builtInRoots, declaredFields, otherValues, type Path, samples } from './field-facts/observe.js';

/**
 * What doc comments of the built-in builders say beyond the schema is what a kube-apiserver does: its defaults and the fields that it does
 * not let change, observed on an object of each kind. The embedded server knows less of some kinds (docs/decisions/29).
 */
const testEnvironment = await TestEnvironment.create('field-facts');
const isReal = inject('server').from !== 'embedded';
if (!isReal) process.stderr.write('Immutable fields are not tested: the embedded API server does not implement all of them.\n');
if (!isReal) process.stderr.write('MutatingAdmissionPolicies are not tested: the embedded API server refuses them.\n');

interface Sample {
  readonly root: RootType;
  readonly sent: JsonObject & ObjectRef;
  readonly live: JsonObject & ObjectRef;
}
const made: Sample[] = [];

beforeAll(async () => {
  const roots = await builtInRoots();
  for (const sample of samples(testEnvironment.namespace) as (JsonObject & ObjectRef)[]) {
    if (!isReal && !(await testEnvironment.cluster.serves(sample.apiVersion, sample.kind))) continue;
    if (!isReal && sample.kind === 'MutatingAdmissionPolicy') continue;
    const root = roots.get(`${sample.kind} ${sample.apiVersion}`) as RootType;
    const placed = root.scope === 'Cluster' ? {} : { namespace: testEnvironment.namespace };
    const sent = { ...sample, metadata: { ...sample.metadata, ...placed } };
    if (sample.kind === 'APIService') {
      made.push({ root, sent, live: await dryCreated(sent) });
      continue;
    }
    if (sample.kind === 'Namespace') testEnvironment.removeNamespaceLater(sample.metadata.name);
    else if (root.scope === 'Cluster') testEnvironment.removeLater(sent);
    made.push({ root, sent, live: await testEnvironment.cluster.create('test', sent) });
  }
});

/** What the server would make of an object: an API that nobody serves would be in the way of the other files of this run. */
async function dryCreated(object: ObjectRef): Promise<Sample['live']> {
  const path = await testEnvironment.cluster.path(object);
  return testEnvironment.cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body: object, query: { dryRun: 'All' } });
}

/** What the server gives to each object anew, or copies from elsewhere: these are no defaults. */
const given = new Set([
  ...['PersistentVolumeClaim.apiVersion', 'PersistentVolumeClaim.kind', 'PersistentVolumeClaimStatusFields.phase'].map(
    (field) => `core/v1.${field}`,
  ),
  'core/v1.NamespaceSpec.finalizers',
  ...['apiGroup', 'kind', 'name'].map((field) => `core/v1.TypedLocalObjectReference.${field}`), // of the newer dataSourceRef
  ...['groups', 'uid', 'username'].map((field) => `certificates/v1.CertificateSigningRequestSpec.${field}`),
]);

test('defaults are those that the server adds', () => {
  const fixed: Record<string, Record<string, Json>> = {};
  const dependent = new Set<string>();
  for (const { root, sent, live } of made) {
    for (const { type, name, path, value } of declaredFields(root, live)) {
      if (at(sent, path) !== undefined || value === '' || !isPlain(value) || given.has(`${type}.${name}`)) continue;
      if (isInAddedItem(sent, path)) continue;
      if (dependentDefaults[type]?.[name] !== undefined) {
        dependent.add(`${type}.${name}`);
        continue;
      }
      const known = fixed[type]?.[name];
      if (known !== undefined) expect(value, `${type}.${name}`).toEqual(known);
      fixed[type] = { ...fixed[type], [name]: value };
    }
  }
  const { 'admissionregistration/v1.MutatingAdmissionPolicySpec': ofRefused, ...others } = fixedDefaults;
  expect(fixed).toEqual(isReal ? { ...others, 'admissionregistration/v1.MutatingAdmissionPolicySpec': ofRefused } : others);
  expect([...dependent].sort()).toEqual(
    Object.entries(dependentDefaults)
      .flatMap(([type, fields]) => Object.keys(fields).map((name) => `${type}.${name}`))
      .sort(),
  );
});

/** Changes that are refused where other values of the field could be right; nothing is said of them. */
const unsaid: readonly string[] = [
  'Job batch/v1 spec.completions', // an indexed Job lets it change together with parallelism
  'PersistentVolumeClaim v1 spec.resources', // it may grow where the class allows that
  'ServiceCIDR networking.k8s.io/v1 spec.cidrs', // a second family may be added
];

test.runIf(isReal)('fields that are said to be immutable do not change, and no others refuse to', async () => {
  const [refused, changed] = [new Set<string>(), new Set<string>()];
  const tried = made.map(async (sample) => {
    const { kind, apiVersion } = sample.root;
    for (const visited of declaredFields(sample.root, sample.live)) {
      const verdict = await changeOf(sample, visited.path, otherValues(visited));
      const path = visited.path.filter((step) => typeof step === 'string').join('.');
      if (verdict !== undefined) (verdict === 'refused' ? refused : changed).add(`${kind} ${apiVersion} ${path}`);
    }
  });
  await Promise.all(tried);
  const said = Object.entries(immutableFields).flatMap(([kind, paths]) => Object.keys(paths).map((path) => `${kind} ${path}`));
  const whens = Object.values(immutableFields).flatMap((paths) => Object.values(paths));
  const isRefused = (field: string) => [...refused].some((one) => one === field || one.startsWith(`${field}.`));
  expect(said.filter((field) => !isRefused(field))).toEqual([]);
  const always = said.filter((_, index) => whens[index] === 'exists');
  expect([...changed].filter((field) => always.some((one) => field === one || field.startsWith(`${one}.`)))).toEqual([]);
  const all = [...said, ...unsaid];
  const explained = (field: string) => all.some((one) => field === one || field.startsWith(`${one}.`) || one.startsWith(`${field}.`));
  expect([...refused].filter((field) => !explained(field) && !changed.has(field))).toEqual([]);
});

test.runIf(isReal).each<[kind: string, name: string, path: Path, value: Json]>([
  ['Node', `${testEnvironment.namespace}-sample-small`, ['spec', 'providerID'], 'example://b'],
  ['Node', `${testEnvironment.namespace}-sample-small`, ['spec', 'podCIDR'], '10.3.0.0/24'],
  [
    'PersistentVolume',
    `${testEnvironment.namespace}-sample-nfs`,
    ['spec', 'nodeAffinity'],
    { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
  ],
  ['PersistentVolumeClaim', 'small', ['spec', 'storageClassName'], 'a'],
  ['PersistentVolumeClaim', 'small', ['spec', 'volumeName'], 'a'],
  ['Job', 'suspended', ['spec', 'template', 'spec', 'nodeSelector'], { a: 'b' }],
  ['Pod', 'small', ['spec', 'containers', 0, 'image'], 'b:1'],
  ['Pod', 'small', ['spec', 'tolerations', 2], { key: 'a', operator: 'Exists' }],
  ['ConfigMap', 'sample', ['data'], { a: '2' }],
  ['Service', 'sample', ['spec', 'type'], 'LoadBalancer'],
])('%s %s: %j may be set', async (kind, name, path, value) => {
  const sample = made.find(({ sent }) => sent.kind === kind && sent.metadata.name === name) as Sample;
  expect(await changeOf(sample, path, [value])).toBe('changed');
});

/** What comes of other values: the first that the server takes counts, then refusals that say that nothing may change. */
async function changeOf({ live }: Sample, path: Path, values: readonly (Json | undefined)[]): Promise<'changed' | 'refused' | undefined> {
  let refused = false;
  for (const value of values) {
    const body = [{ op: value === undefined ? 'remove' : 'add', path: path.map((step) => `/${step}`).join(''), value }];
    try {
      const url = await testEnvironment.cluster.path(live);
      const answer = await testEnvironment.cluster.client.call('PATCH', url, {
        body,
        contentType: 'application/json-patch+json',
        query: { dryRun: 'All' },
      });
      if (JSON.stringify(at(answer, path)) !== JSON.stringify(at(live, path))) return 'changed';
    } catch (error) {
      // A kube-apiserver 1.36 that is told to remove the completions of an indexed Job gives up on the request without an answer.
      if (!(error instanceof ApiCallError)) continue;
      refused ||=
        error.status === 422 && /immutable|cannot change|may not (be )?(change|modif)|updates? to|not allowed/i.test(error.message);
    }
  }
  return refused ? 'refused' : undefined;
}

function isPlain(value: Json): boolean {
  return Array.isArray(value) ? value.every((item) => typeof item !== 'object') : typeof value !== 'object' && value !== null;
}

/** Whether the place is in an item that the server added to a list: an example, whose fields have no defaults of their own. */
function isInAddedItem(sent: JsonObject, path: Path): boolean {
  return path.some((step, index) => typeof step === 'number' && at(sent, path.slice(0, index + 1)) === undefined);
}
