import { expect, test } from 'vitest';
import { ownershipReport } from '../../../codegen/index.js';
import { $table as apps } from '../../../generated/apps/v1.js';
import { $table as core } from '../../../generated/core/v1.js';
import type { KeySuggestion } from '../../../src/schema/index.js';
import { builtInShapes, judgeBySamples, readCrd, resolve, rootTypes, sampleLists, suggestKeys } from '../../../src/schema/index.js';

const shapes = builtInShapes([...rootTypes(core), ...rootTypes(apps)].filter(({ subresource }) => subresource === undefined));

/** `name!` is required, `name=` has a default; a field is a string unless its type follows: `port!:integer`. */
function listOf(fields: string, more: object = {}) {
  const parsed = fields
    .split(' ')
    .map((field) => /^([^!=:]+)([!=]?)(?::(\w+))?$/.exec(field) as unknown as [string, string, string, string?]);
  const properties = Object.fromEntries(
    parsed.map(([, name, mark, type = 'string']) => {
      const content =
        type === 'array' ? { items: { type: 'string' } } : type === 'object' ? { additionalProperties: { type: 'string' } } : {};
      return [name, { type, ...content, ...(mark === '=' ? { default: 'x' } : {}) }];
    }),
  );
  const required = parsed.filter(([, , mark]) => mark === '!').map(([, name]) => name);
  return { type: 'array', ...more, items: { type: 'object', properties, required } };
}

function crdWith(list: string, schema: object) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'edge.example.com',
      scope: 'Namespaced',
      names: { kind: 'Gateway', plural: 'gateways' },
      versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { [list]: schema } } } }],
    },
  };
}

function rootOf(list: string, schema: object) {
  const { roots } = readCrd(crdWith(list, schema));
  const [root] = roots;
  const ref = root && resolve(root.schema, root.type).map?.fields.get(list)?.type;
  const type = root && ref && resolve(root.schema, ref).list;
  if (root === undefined || type === undefined) throw new Error('no list');
  return { root, type };
}

function suggest(list: string, schema: object, known = shapes): KeySuggestion {
  const { root, type } = rootOf(list, schema);
  return suggestKeys(root.schema, list, type, known);
}

const probe = 'httpGet:object exec:object periodSeconds:integer';
const container = `name! image args:array command:array env:array ports:array workingDir tty:boolean stdin:boolean resources:object`;

// A list of a CRD → the suggested keys, and a part of the reason.
test.each<[string, string, string]>([
  // The built-in API decides, whatever the names suggest.
  ['env', 'name! value', 'high name: …EnvVar'],
  ['extraEnv', 'name! value valueFrom:object', 'high name: …EnvVar'],
  ['initContainers', `${container} volumeMounts:array livenessProbe:object imagePullPolicy lifecycle:object`, 'high name: …Container'],
  ['volumeMounts', 'mountPath! name! readOnly:boolean subPath', 'high mountPath: …VolumeMount'],
  ['ports', 'containerPort!:integer name protocol=', 'high containerPort,protocol: …ContainerPort'],
  ['imagePullSecrets', 'name=', 'high name: …LocalObjectReference'],
  ['imagePullSecrets', 'name', 'low name: …here name is optional'],
  ['conditions', 'type! status! reason message lastTransitionTime', 'high type: …Condition'],
  ['matchExpressions', 'key! operator! values:array', 'none: …Requirement'],
  ['where', 'key! operator! values:array', 'none: …Requirement'],
  ['tolerations', 'effect key operator tolerationSeconds:integer value', 'none: …Toleration'],
  ['httpHeaders', 'name! value!', 'none: …HTTPHeader'],
  ['options', 'name! value', 'none: …PodDNSConfigOption'],
  // Names and required fields.
  ['plugins', 'name! artifacts!:array', 'high name: name is required'],
  ['listeners', 'name! port!:integer protocol!', 'high name: name is required'],
  ['brokers', 'broker!:integer host', 'high broker: broker is required, and brokers are called after it'],
  ['weightedZones', 'zone! weight!:integer', 'high zone: …called after it'],
  ['details', 'key! value!', 'high key: key is required'],
  ['signatureKeys', 'keyID!', 'high keyID: …called after it'],
  ['perPort', 'port!:integer tls:object', 'high port: port is required, and nothing else identifies an item'],
  ['listeners', 'port!:integer protocol= tls:object', 'high port,protocol: …always there'],
  // Guesses.
  ['listeners', 'port!:integer hostname', 'low port: …another hostname may have the same'],
  ['listeners', 'port!:integer protocol', 'low port,protocol: …nothing says that it is unique'],
  ['services', 'name! port!:integer', 'low name,port: …together'],
  ['accounts', 'name! namespace', 'low name: …namespace'],
  ['data', 'key! value! version', 'low key: …version'],
  ['secrets', 'name! parameter!', 'low name,parameter: …either may identify'],
  ['servers', 'url!', 'low url: …nothing says'],
  ['plugins', 'name', 'low name: name is optional'],
  // Order, expressions and repetition.
  ['rules', 'name!', 'none: the order of rules may carry meaning'],
  ['steps', container, 'none: the order of steps may carry meaning'],
  ['requestFilters', 'name!', 'none: the order of requestFilters may carry meaning'],
  ['preconditions', 'name!', 'none: …parts of one expression'],
  ['projections', 'name! jmesPath!', 'none: …jmesPath'],
  ['extraArgs', 'name! value!', 'none: an item may occur twice in extraArgs'],
  ['headersToAdd', 'name! value!', 'none: an item may occur twice in headersToAdd'],
  ['queryParams', 'name! value!', 'none: an item may occur twice in queryParams'],
  // Nothing to go by.
  ['volumes', 'type! size', 'none: no field'],
  ['probes', probe, 'none: no field'],
])('%s of { %s }: %s', (list, fields, expected) => {
  const { keys, confidence, reason } = suggest(list, listOf(fields));
  const [head, tail = ''] = expected.split(/: /);
  expect(`${confidence}${keys.length > 0 ? ` ${keys.join(',')}` : ''}`).toBe(head);
  expect(reason).toContain(tail.replace('…', ''));
});

/** A list and what its author says of it → the suggested keys. */
test.each<[string, string, string]>([
  ['modules', 'An ordered list of modules. Order matters, as they run in the order of this list.', 'none'],
  ['affinities', 'The groups are tried one by one, in the order they appear.', 'none'],
  ['overflows', 'They are expanded\n in order when the first is full.', 'none'],
  ['plugins', 'The order of the plugins is significant.', 'none'],
  ['plugins', 'Plugins are executed sequentially.', 'none'],
  ['plugins', 'The list is sorted by the weight.', 'none'],
  ['plugins', 'If several fit, the first match wins.', 'none'],
  ['plugins', 'A plugin may be listed more than once.', 'none'],
  ['plugins', 'Plugins that are loaded in order to start faster.', 'high name'],
  ['plugins', 'The order of this list does not matter.', 'high name'],
  ['plugins', 'An unordered list of plugins, in no particular order.', 'high name'],
  ['plugins', 'Names in alphabetical order are easier to read.', 'high name'],
])('%s, described as %j', (list, description, expected) => {
  const schema = listOf('name! entry');
  for (const described of [
    { ...schema, description },
    { ...schema, items: { ...schema.items, description } },
  ]) {
    const { roots } = readCrd(crdWith(list, described), { docs: true });
    const [{ shareable } = { shareable: [] }] = ownershipReport(roots);
    expect(shareable.map(({ keys, confidence }) => [confidence, ...keys].join(' '))).toEqual([expected]);
  }
});

test('the built-in API decides before a description', () => {
  const { root, type } = rootOf(
    'initContainers',
    listOf('name! image args:array command:array env:array ports:array workingDir tty:boolean'),
  );
  const described = suggestKeys(root.schema, 'initContainers', type, shapes, 'Init containers are executed in order.');
  expect(described).toMatchObject({ confidence: 'high', keys: ['name'] });
});

test('an explicit atomic list is what its author wants', () => {
  expect(suggest('env', listOf('name! value', { 'x-kubernetes-list-type': 'atomic' }))).toEqual({
    keys: [],
    confidence: 'none',
    reason: 'its author declares it atomic',
  });
});

test('names of fields that every object has mean nothing', () => {
  const schema = JSON.parse(
    '{"type":"array","items":{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}}',
  );
  expect(suggest('toString', schema)).toMatchObject({ keys: ['__proto__'], confidence: 'low' });
  expect(suggest('__proto__s'.repeat(10_000), listOf('name!'))).toMatchObject({ keys: ['name'], confidence: 'high' });
});

test('lists that the built-in API treats in two ways get no keys from it', () => {
  const twice = shapes.filter(({ list }) => list === 'imagePullSecrets').map((shape) => ({ ...shape, places: 1 }));
  expect(twice.map(({ keys }) => keys.length).sort()).toEqual([0, 1]);
  expect(suggest('imagePullSecrets', listOf('name!'), twice)).toMatchObject({ confidence: 'low' });
});

const sample = (location: string, ...names: readonly unknown[]) => ({
  location,
  value: { apiVersion: 'edge.example.com/v1beta1', kind: 'Gateway', plugins: names.map((name) => ({ name })) } as never,
});

test.each<[string, string, readonly ReturnType<typeof sample>[], string]>([
  ['a duplicate refutes', 'name!', [sample('a', 'x', 'y'), sample('b', 'x', 'x')], 'none: two items of b have the same name'],
  ['one item proves nothing', 'name!', [sample('a', 'x')], 'high name: name is required'],
  [
    'lists without a duplicate are named',
    'name!',
    [sample('a', 'x', 'y'), sample('a', 'z', 'x')],
    'high name: name is required; the items of 2 lists of 1 sample file differ in name',
  ],
  ['two items without an optional key', 'name', [sample('a', undefined, undefined)], 'none: two items of a have the same name'],
  [
    'five files make a guess a good one',
    'name',
    ['a', 'b', 'c', 'd', 'e'].map((file) => sample(file, 1, 2)),
    'high name: the items of 5 lists of 5 sample files differ in name',
  ],
  [
    'four do not',
    'name',
    ['a', 'b', 'c', 'd'].map((file) => sample(file, 1, 2)),
    'low name: name is optional; the items of 4 lists of 4 sample files differ in name',
  ],
  ['objects as keys are equal', 'name!', [sample('a', {}, [])], 'none: two items of a have the same name'],
  [
    'other kinds are ignored',
    'name!',
    [{ location: 'a', value: { ...(sample('a', 'x', 'x').value as object), kind: 'Pod' } as never }],
    'high name: name is required',
  ],
  [
    '10,000 items',
    'name!',
    [sample('a', ...Array.from({ length: 10_000 }, (_, index) => `n${index}`))],
    'high name: name is required; the items of 1 list of 1 sample file differ in name',
  ],
])('samples: %s', (_, fields, samples, expected) => {
  const { root, type } = rootOf('plugins', listOf(`${fields} note`));
  const lists = sampleLists(root, samples).get('.plugins');
  const { keys, confidence, reason } = judgeBySamples(suggestKeys(root.schema, 'plugins', type), root.schema, type.element, lists);
  expect(`${confidence}${keys.length > 0 ? ` ${keys.join()}` : ''}: ${reason}`).toBe(expected);
});

test('samples of any shape are read', () => {
  const { root } = rootOf('plugins', listOf('name!'));
  const values = [null, 1, 'x', [], { kind: 'Gateway' }, { apiVersion: 5, kind: 'Gateway', plugins: {} }];
  expect(sampleLists(root, values.map((value) => ({ location: 'a', value })) as never).size).toBe(0);
  const garbage = { apiVersion: 'edge.example.com/v1', kind: 'Gateway', plugins: [1, null, 'x', {}, []] };
  expect(sampleLists(root, [{ location: 'a', value: garbage }]).get('.plugins')?.[0]?.items).toHaveLength(5);
});

test('the shapes are those of the tables, with the number of their places', () => {
  const containers = shapes.find(({ list, item }) => list === 'containers' && item === 'Container');
  expect(containers).toMatchObject({ keys: ['name'], places: 7 });
});
