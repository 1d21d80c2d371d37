import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ApiClient, type ResponseBody } from '../harness/api-client.js';
import { crdOf } from '../harness/crd.js';
import { poll } from '../harness/poll.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

/**
 * The policies of `fieldwise guard`, as a real kube-apiserver evaluates them: each row is one request of a user, sent as a dry run, once under
 * policies that warn and once under policies that deny.
 */

const testEnvironment = await TestEnvironment.create('guard');
const { cluster, namespace } = testEnvironment;
const group = `${namespace}.example.com`;

const rules = [{ apiGroups: ['', 'apps', 'coordination.k8s.io', group], resources: ['*'], verbs: ['*'] }];

/** The objects of stack `web`. */
const metadata = { labels: { 'team.example.com/owner': 'shop' }, annotations: { note: 'web' }, finalizers: ['example.com/keep'] };
const container = {
  name: 'web',
  image: 'web:1',
  args: ['a', 'b'],
  ports: [{ containerPort: 80 }],
  env: [{ name: 'A', value: '1' }],
  volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
};
const deployment = (name: string, spec: object = {}) => ({
  ...testEnvironment.ref('apps/v1', 'Deployment', name),
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container], volumes: [{ name: 'tmp', emptyDir: {} }] } },
    ...spec,
  },
});
const web = deployment('web');
const objects = [
  own({ ...web, metadata: { ...web.metadata, ...metadata } }),
  own(deployment('elastic'), { fields: { '.spec.replicas': { conflicts: 'yield' } } }),
  own({ ...testEnvironment.ref('v1', 'ConfigMap', 'settings'), data: { color: 'blue', 'app.conf': 'x=1' } }),
  own({ ...testEnvironment.ref('v1', 'Secret', 'login'), stringData: { password: 'hunter2-hunter2' } }),
  own({ ...testEnvironment.ref('v1', 'Service', 'web'), spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } }),
  own({ ...testEnvironment.ref(`${group}/v1`, 'Gauge', 'main'), spec: { size: 3, hosts: ['a'], rules: [{ in: 'x', to: 1 }], empty: {} } }),
  own({ ...testEnvironment.ref(`${group}/v1`, 'Atom', 'main'), spec: { replicas: 3, size: 1 } }),
  own({
    ...testEnvironment.ref('v1', 'Pod', 'single'),
    metadata: { ...testEnvironment.ref('v1', 'Pod', 'single').metadata, annotations: { note: 'web' }, labels: { app: 'single' } },
    spec: { nodeSelector: { none: 'none' }, containers: [{ name: 'web', image: 'web:1' }] },
  }),
  share({ ...testEnvironment.ref('v1', 'ConfigMap', 'shared'), data: { mine: 'yes' } }),
];
/** The field manager of the stack: of the first project of the test environment. */
const managerOfStack = `fieldwise/${testEnvironment.app}-1/default/web`;

/** An entry of managedFields under the name of the stack, with fields of `settings`. */
const entryOfStack = (change: object) => ({
  manager: managerOfStack,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:color': {} } },
  ...change,
});
const later = own({ ...testEnvironment.ref('v1', 'ConfigMap', 'later'), data: { color: 'blue' } });

const gauges = crdOf(group, 'Gauge', {
  spec: {
    type: 'object',
    properties: {
      size: { type: 'integer' },
      other: { type: 'integer', default: 7 },
      hosts: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', nullable: true },
      empty: { type: 'object', nullable: true, properties: { part: { type: 'string' } } },
      rules: {
        type: 'array',
        nullable: true,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['in'],
        items: {
          type: 'object',
          required: ['in'],
          properties: { in: { type: 'string' }, to: { type: 'integer' }, more: { type: 'string' } },
        },
      },
    },
  },
  status: { type: 'object', properties: { size: { type: 'integer' } } },
});
Object.assign(gauges.spec.versions[0]!.subresources as object, {
  scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
});

/** Its replicas are part of a struct that is one value. */
const atoms = crdOf(group, 'Atom', {
  spec: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { replicas: { type: 'integer' }, size: { type: 'integer' } } },
  status: { type: 'object', properties: { replicas: { type: 'integer' } } },
});
Object.assign(atoms.spec.versions[0]!.subresources as object, {
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
});

type Who = 'pat' | 'deployer' | 'oncall';
type Verb = 'apply' | 'create' | 'update' | 'merge' | 'strategic' | 'json' | 'delete' | 'deletecollection';
interface Row {
  readonly who: Who;
  readonly what: string;
  readonly verb: Verb;
  readonly path: string;
  readonly body?: object | ((live: ResponseBody) => object);
  /** The fields that the answer names, or the deletion, or the new owner; absent if the request is open to the user. */
  readonly guarded?: readonly string[] | 'delete' | 'owner' | 'entry' | 'shared entry';
}

const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const core = `/api/v1/namespaces/${namespace}`;
const custom = `/apis/${group}/v1/namespaces/${namespace}/gauges`;
const item = '.spec.template.spec.containers[name="web"]';
const podSpec = (spec: object) => ({ spec: { template: { spec } } });
const applied = (apiVersion: string, kind: string, name: string, rest: object) => ({
  ...testEnvironment.ref(apiVersion, kind, name),
  ...rest,
});

const absentOwner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '00000000-0000-4000-8000-000000000001' };
const bindingWith = (metadata: object) =>
  applied('v1', 'Binding', 'single', { metadata: { name: 'single', namespace, ...metadata }, target: { kind: 'Node', name: 'none' } });

const rows: readonly Row[] = [
  // One field of a Deployment, by each verb.
  {
    who: 'pat',
    what: 'sets the replicas',
    verb: 'merge',
    path: `${apps}/web`,
    body: { spec: { replicas: 5 } },
    guarded: ['.spec.replicas'],
  },
  { who: 'pat', what: 'scales', verb: 'merge', path: `${apps}/web/scale`, body: { spec: { replicas: 5 } }, guarded: ['.spec.replicas'] },
  {
    who: 'pat',
    what: 'scales by an update',
    verb: 'update',
    path: `${apps}/web/scale`,
    body: (live) => ({ ...live, spec: { replicas: 5 } }),
    guarded: ['.spec.replicas'],
  },
  { who: 'pat', what: 'scales to the same number', verb: 'merge', path: `${apps}/web/scale`, body: { spec: { replicas: 2 } } },
  {
    who: 'pat',
    what: 'removes the replicas, which get their default',
    verb: 'merge',
    path: `${apps}/web`,
    body: { spec: { replicas: null } },
    guarded: ['.spec.replicas'],
  },
  {
    who: 'pat',
    what: 'updates the image',
    verb: 'update',
    path: `${apps}/web`,
    body: (live) => withImage(live, 'web:9'),
    guarded: [`${item}.image`],
  },
  {
    who: 'pat',
    what: 'applies another image by force',
    verb: 'apply',
    path: `${apps}/web`,
    body: applied('apps/v1', 'Deployment', 'web', podSpec({ containers: [{ name: 'web', image: 'web:9' }] })),
    guarded: [`${item}.image`],
  },
  {
    who: 'pat',
    what: 'applies the same image',
    verb: 'apply',
    path: `${apps}/web`,
    body: applied('apps/v1', 'Deployment', 'web', podSpec({ containers: [{ name: 'web', image: 'web:1' }] })),
  },
  {
    who: 'pat',
    what: 'applies a label of its own',
    verb: 'apply',
    path: `${apps}/web`,
    body: applied('apps/v1', 'Deployment', 'web', { metadata: { name: 'web', namespace, labels: { pat: 'yes' } } }),
  },
  {
    who: 'pat',
    what: 'changes the image by a JSON patch',
    verb: 'json',
    path: `${apps}/web`,
    body: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:9' }],
    guarded: [`${item}.image`],
  },
  {
    who: 'pat',
    what: 'changes two fields',
    verb: 'strategic',
    path: `${apps}/web`,
    body: { spec: { replicas: 1, ...podSpec({ containers: [{ name: 'web', image: 'web:9' }] }).spec } },
    guarded: ['.spec.replicas', `${item}.image`],
  },
  // Lists.
  {
    who: 'pat',
    what: 'adds a container',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'side', image: 'side:1' }] }),
  },
  {
    who: 'pat',
    what: 'replaces the containers',
    verb: 'merge',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'side', image: 'side:1', volumeMounts: [] }] }),
    guarded: [item, `${item}.args`],
  },
  {
    who: 'pat',
    what: 'adds a variable',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'web', env: [{ name: 'B', value: '2' }] }] }),
  },
  {
    who: 'pat',
    what: 'changes a variable',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'web', env: [{ name: 'A', value: '2' }] }] }),
    guarded: [`${item}.env[name="A"].value`],
  },
  {
    who: 'pat',
    what: 'removes a variable',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'web', env: [{ name: 'A', $patch: 'delete' }] }] }),
    guarded: [`${item}.env[name="A"]`, `${item}.env[name="A"].value`],
  },
  {
    who: 'pat',
    what: 'swaps the arguments, an atomic list',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'web', args: ['b', 'a'] }] }),
    guarded: [`${item}.args`],
  },
  {
    who: 'pat',
    what: 'sets a field of a guarded item',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ containers: [{ name: 'web', workingDir: '/srv' }] }),
  },
  {
    who: 'pat',
    what: 'adds to an empty struct',
    verb: 'strategic',
    path: `${apps}/web`,
    body: podSpec({ volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '1Gi' } }] }),
  },
  {
    who: 'pat',
    what: 'adds a finalizer',
    verb: 'strategic',
    path: `${apps}/web`,
    body: { metadata: { finalizers: ['example.com/more'] } },
  },
  {
    who: 'pat',
    what: 'removes a guarded finalizer',
    verb: 'merge',
    path: `${apps}/web`,
    body: { metadata: { finalizers: null } },
    guarded: ['.metadata.finalizers[="example.com/keep"]'],
  },
  {
    who: 'pat',
    what: 'adds a port to a Service',
    verb: 'strategic',
    path: `${core}/services/web`,
    body: {
      spec: {
        ports: [
          { port: 443, name: 'https', targetPort: 1 },
          { port: 80, name: 'http' },
        ],
      },
    },
  },
  {
    who: 'pat',
    what: 'changes a target port',
    verb: 'strategic',
    path: `${core}/services/web`,
    body: { spec: { ports: [{ port: 80, targetPort: 9 }] } },
    guarded: ['.spec.ports[port=80,protocol="TCP"].targetPort'],
  },
  {
    who: 'pat',
    what: 'adds to an atomic map',
    verb: 'merge',
    path: `${core}/services/web`,
    body: { spec: { selector: { more: 'yes' } } },
    guarded: ['.spec.selector'],
  },
  // Keys of maps.
  {
    who: 'pat',
    what: 'changes a label with dots and a slash',
    verb: 'merge',
    path: `${apps}/web`,
    body: { metadata: { labels: { 'team.example.com/owner': 'pat' } } },
    guarded: ['.metadata.labels.team.example.com/owner'],
  },
  { who: 'pat', what: 'adds a label', verb: 'merge', path: `${apps}/web`, body: { metadata: { labels: { more: 'yes' } } } },
  {
    who: 'pat',
    what: 'changes a guarded key',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { data: { 'app.conf': 'x=2' } },
    guarded: ['.data.app.conf'],
  },
  { who: 'pat', what: 'adds a key', verb: 'merge', path: `${core}/configmaps/settings`, body: { data: { more: 'x' } } },
  {
    who: 'pat',
    what: 'removes all data',
    verb: 'json',
    path: `${core}/configmaps/settings`,
    body: [{ op: 'remove', path: '/data' }],
    guarded: ['.data.app.conf', '.data.color'],
  },
  {
    who: 'pat',
    what: 'changes a guarded value of a Secret',
    verb: 'merge',
    path: `${core}/secrets/login`,
    body: { stringData: { password: 'other' } },
    guarded: ['.data.password'],
  },
  { who: 'pat', what: 'adds a value to a Secret', verb: 'merge', path: `${core}/secrets/login`, body: { stringData: { more: 'other' } } },
  // The status subresource, which may write annotations.
  { who: 'pat', what: 'writes the status', verb: 'merge', path: `${apps}/web/status`, body: { status: { replicas: 2 } } },
  {
    who: 'pat',
    what: 'changes an annotation through the status',
    verb: 'merge',
    path: `${apps}/web/status`,
    body: { metadata: { annotations: { note: 'pat' } } },
    guarded: ['.metadata.annotations.note'],
  },
  // Fields under `yield`.
  { who: 'pat', what: 'sets replicas under yield', verb: 'merge', path: `${apps}/elastic`, body: { spec: { replicas: 5 } } },
  { who: 'pat', what: 'scales replicas under yield', verb: 'merge', path: `${apps}/elastic/scale`, body: { spec: { replicas: 5 } } },
  {
    who: 'pat',
    what: 'changes another field beside them',
    verb: 'strategic',
    path: `${apps}/elastic`,
    body: podSpec({ containers: [{ name: 'web', image: 'web:9' }] }),
    guarded: [`${item}.image`],
  },
  // A custom kind.
  {
    who: 'pat',
    what: 'changes a custom field',
    verb: 'merge',
    path: `${custom}/main`,
    body: { spec: { size: 4 } },
    guarded: ['.spec.size'],
  },
  {
    who: 'pat',
    what: 'scales a custom kind with a path of its own',
    verb: 'merge',
    path: `${custom}/main/scale`,
    body: { spec: { replicas: 4 } },
    guarded: ['.spec.size'],
  },
  { who: 'pat', what: 'changes a field that no stack declares', verb: 'merge', path: `${custom}/main`, body: { spec: { other: 8 } } },
  { who: 'pat', what: 'adds to a set', verb: 'merge', path: `${custom}/main`, body: { spec: { hosts: ['b', 'a'] } } },
  {
    who: 'pat',
    what: 'replaces a set by null',
    verb: 'merge',
    path: `${custom}/main`,
    body: { spec: { hosts: null } },
    guarded: ['.spec.hosts[="a"]'],
  },
  {
    who: 'pat',
    what: 'writes null into a list',
    verb: 'update',
    path: `${custom}/main`,
    body: (live) => ({ ...live, spec: { ...live.spec, rules: null } }),
    guarded: ['.spec.rules[in="x"]', '.spec.rules[in="x"].to'],
  },
  {
    who: 'pat',
    what: 'sets a field of an item whose key is a reserved word',
    verb: 'merge',
    path: `${custom}/main`,
    body: { spec: { rules: [{ in: 'x', to: 1, more: 'y' }] } },
  },
  {
    who: 'pat',
    what: 'changes such an item',
    verb: 'merge',
    path: `${custom}/main`,
    body: { spec: { rules: [{ in: 'x', to: 2 }] } },
    guarded: ['.spec.rules[in="x"].to'],
  },
  { who: 'pat', what: 'fills an empty struct', verb: 'merge', path: `${custom}/main`, body: { spec: { empty: { part: 'x' } } } },
  {
    who: 'pat',
    what: 'scales a custom kind with an atomic spec',
    verb: 'merge',
    path: `/apis/${group}/v1/namespaces/${namespace}/atoms/main/scale`,
    body: { spec: { replicas: 4 } },
    guarded: ['.spec'],
  },
  // Several items with the keys of one.
  {
    who: 'pat',
    what: 'adds a second entry for a variable',
    verb: 'json',
    path: `${apps}/web`,
    body: [{ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name: 'A', value: '9' } }],
    guarded: [`${item}.env[name="A"]`],
  },
  {
    who: 'pat',
    what: 'adds a second port with another name',
    verb: 'json',
    path: `${apps}/web`,
    body: [{ op: 'add', path: '/spec/template/spec/containers/0/ports/-', value: { containerPort: 80, name: 'second' } }],
    guarded: [`${item}.ports[containerPort=80,protocol="TCP"]`],
  },
  {
    who: 'pat',
    what: 'adds two entries for a variable of its own',
    verb: 'json',
    path: `${apps}/web`,
    body: ['8', '9'].map((value) => ({ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name: 'MINE', value } })),
  },
  // A Pod that somebody binds to a node.
  {
    who: 'pat',
    what: 'binds a Pod with a declared annotation',
    verb: 'create',
    path: `${core}/pods/single/binding`,
    body: bindingWith({ annotations: { note: 'pat' } }),
    guarded: ['.metadata.annotations.note'],
  },
  {
    who: 'pat',
    what: 'binds it through the collection, with a declared label',
    verb: 'create',
    path: `${core}/bindings`,
    body: bindingWith({ labels: { app: 'pat' } }),
    guarded: ['.metadata.labels.app'],
  },
  {
    who: 'pat',
    what: 'binds it with an annotation of its own',
    verb: 'create',
    path: `${core}/pods/single/binding`,
    body: bindingWith({ annotations: { pat: 'pat' } }),
  },
  // Owners.
  {
    who: 'pat',
    what: 'adds an owner that does not exist',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { metadata: { ownerReferences: [absentOwner] } },
    guarded: 'owner',
  },
  {
    who: 'pat',
    what: 'creates a declared object with an owner',
    verb: 'create',
    path: `${core}/configmaps`,
    body: applied('v1', 'ConfigMap', 'later', { metadata: { name: 'later', namespace, ownerReferences: [absentOwner] } }),
    guarded: 'owner',
  },
  {
    who: 'pat',
    what: 'adds an owner to a shared object',
    verb: 'merge',
    path: `${core}/configmaps/shared`,
    body: { metadata: { ownerReferences: [absentOwner] } },
  },
  {
    who: 'deployer',
    what: 'adds an owner',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { metadata: { ownerReferences: [absentOwner] } },
  },
  // Entries of managedFields.
  {
    who: 'pat',
    what: 'clears managedFields',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { metadata: { managedFields: [{}] } },
    guarded: 'entry',
  },
  {
    who: 'pat',
    what: 'clears managedFields of a shared object',
    verb: 'merge',
    path: `${core}/configmaps/shared`,
    body: { metadata: { managedFields: [{}] } },
    guarded: 'shared entry',
  },
  {
    who: 'pat',
    what: 'makes an entry of the status of that of the stack',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { metadata: { managedFields: [entryOfStack({ subresource: 'status' })] } },
    guarded: 'entry',
  },
  {
    who: 'pat',
    what: 'makes an entry of an update of that of the stack',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { metadata: { managedFields: [entryOfStack({ operation: 'Update' })] } },
    guarded: 'entry',
  },
  {
    who: 'deployer',
    what: 'clears managedFields',
    verb: 'merge',
    path: `${core}/configmaps/settings`,
    body: { metadata: { managedFields: [{}] } },
  },
  // Objects.
  { who: 'pat', what: 'deletes an owned object', verb: 'delete', path: `${apps}/web`, guarded: 'delete' },
  { who: 'pat', what: 'deletes all of a kind', verb: 'deletecollection', path: apps, guarded: 'delete' },
  {
    who: 'pat',
    what: 'creates an object that a stack declares',
    verb: 'create',
    path: `${core}/configmaps`,
    body: { ...later.object, data: { color: 'red' } },
    guarded: ['.data.color'],
  },
  {
    who: 'pat',
    what: 'creates it by an apply',
    verb: 'apply',
    path: `${core}/configmaps/later`,
    body: { ...later.object, data: { color: 'red' } },
    guarded: ['.data.color'],
  },
  {
    who: 'pat',
    what: 'creates it without its fields',
    verb: 'create',
    path: `${core}/configmaps`,
    body: { ...later.object, data: { more: 'red' } },
  },
  {
    who: 'pat',
    what: 'creates an object of its own',
    verb: 'create',
    path: `${core}/configmaps`,
    body: applied('v1', 'ConfigMap', 'pats', { data: { color: 'red' } }),
  },
  {
    who: 'pat',
    what: 'changes a shared field',
    verb: 'merge',
    path: `${core}/configmaps/shared`,
    body: { data: { mine: 'no' } },
    guarded: ['.data.mine'],
  },
  {
    who: 'pat',
    what: 'changes another field of a shared object',
    verb: 'merge',
    path: `${core}/configmaps/shared`,
    body: { data: { theirs: 'no' } },
  },
  { who: 'pat', what: 'deletes a shared object', verb: 'delete', path: `${core}/configmaps/shared` },
  // Others than pat.
  { who: 'deployer', what: 'changes a field', verb: 'merge', path: `${apps}/web`, body: { spec: { replicas: 5 } } },
  { who: 'deployer', what: 'scales', verb: 'merge', path: `${apps}/web/scale`, body: { spec: { replicas: 5 } } },
  { who: 'deployer', what: 'deletes', verb: 'delete', path: `${apps}/web` },
  { who: 'deployer', what: 'creates', verb: 'create', path: `${core}/configmaps`, body: later.object },
  { who: 'oncall', what: 'changes a field', verb: 'merge', path: `${apps}/web`, body: { spec: { replicas: 5 } } },
  { who: 'oncall', what: 'deletes', verb: 'delete', path: `${apps}/web` },
];

function withImage(live: ResponseBody, image: string): object {
  const { containers, ...pod } = live.spec.template.spec;
  return {
    ...live,
    spec: { ...live.spec, template: { ...live.spec.template, spec: { ...pod, containers: [{ ...containers[0], image }] } } },
  };
}

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly warnings: readonly string[];
}

const types: Partial<Record<Verb, string>> = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};
const methods: Partial<Record<Verb, string>> = { create: 'POST', update: 'PUT', delete: 'DELETE', deletecollection: 'DELETE' };

/** Sends requests as a user of the cluster. */
function sender(client: ApiClient, user?: { readonly name: string; readonly group: string }) {
  return async ({ verb, path, body }: Pick<Row, 'verb' | 'path' | 'body'>, dryRun = true): Promise<Answer> => {
    const url = new URL(client.connection.server.replace(/\/$/, '') + path);
    if (dryRun) url.searchParams.set('dryRun', 'All');
    if (verb !== 'delete' && verb !== 'deletecollection') url.searchParams.set('fieldManager', 'pat');
    if (verb === 'apply') url.searchParams.set('force', 'true');
    const sent = typeof body === 'function' ? body(await cluster.client.call('GET', path)) : body;
    const { status, headers, text } = await client.raw(
      methods[verb] ?? 'PATCH',
      url,
      {
        'content-type': types[verb] ?? 'application/json',
        ...(user === undefined ? {} : { 'impersonate-user': user.name, 'impersonate-group': user.group }),
      },
      sent === undefined ? undefined : Buffer.from(JSON.stringify(sent)),
    );
    const warnings = headers.warning ?? [];
    return { status, message: status < 400 ? '' : String(JSON.parse(text).message), warnings: [warnings].flat().map(String) };
  };
}

let project: Project;
let send: Record<Who, ReturnType<typeof sender>>;

const flags = ['guard', '--deployer', `sa:${namespace}/deployer`, '--break-glass', `${namespace}-oncall`];

/** Who reads CustomResourceDefinitions and live objects. */
const administrator = { kubeconfig: testEnvironment.kubeconfig };

/** Prints guards, applies them, and waits until the server enforces them. */
async function guard(args: readonly string[], isInForce: (answer: Answer) => boolean): Promise<string> {
  const { exitCode, stdout, stderr } = await project.run([...flags, ...args], administrator);
  expect(exitCode, stderr).toBe(0);
  for (const document of parseAllDocuments(stdout)) {
    const object = document.toJS();
    testEnvironment.removeLater(object);
    await cluster.apply('administrator', object, { force: true });
  }
  await poll('the guards are in force', async () => {
    const answers = rows.filter(({ guarded }) => guarded !== undefined).map((row) => send.pat(row));
    return (await Promise.all(answers)).every(isInForce);
  });
  return stdout;
}

async function setUp(): Promise<void> {
  await testEnvironment.crd(gauges);
  await testEnvironment.crd(atoms);
  const deployer = await testEnvironment.account('deployer', rules);
  for (const name of ['people', 'oncall']) {
    await cluster.create('test', {
      ...testEnvironment.ref('rbac.authorization.k8s.io/v1', 'RoleBinding', name),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'deployer' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `${namespace}-${name}` }],
    });
  }
  const asDeployer = new ApiClient(deployer);
  testEnvironment.onCleanup(() => asDeployer.close());
  send = {
    pat: sender(cluster.client, { name: 'pat', group: `${namespace}-people` }),
    oncall: sender(cluster.client, { name: 'sam', group: `${namespace}-oncall` }),
    deployer: sender(asDeployer),
  };
  await cluster.create('others', { ...testEnvironment.ref('v1', 'ConfigMap', 'shared'), data: { theirs: 'yes' } });
  project = testEnvironment.program({ web: objects }, { kubeconfig: deployer });
  const deployed = await project.deploy();
  expect(deployed.exitCode, String(deployed)).toBe(0);
  expect(project.manager('web')).toBe(managerOfStack);
  // Declared, and not deployed yet.
  project.write({ 'main.ts': testEnvironment.text({ web: [...objects, later] }) });
}

await setUp();

const text = ({ who, verb, what }: Row) => `${who} ${what} (${verb})`;
const nameOf = ({ path, body }: Row) => path.split('/')[path.startsWith('/apis') ? 7 : 6] ?? (body as ResponseBody).metadata.name;
function sentence(row: Row): RegExp {
  const { guarded = [] } = row;
  if (guarded === 'delete') return /Stack \S+\/web owns \w+ .*, and only sa:.*\/deployer may delete it\. Remove it from the program/;
  const who = `and only sa:${namespace}/deployer may`;
  const object = `\\w+ ${namespace}/${nameOf(row)}`;
  if (guarded === 'entry' || guarded === 'shared entry') {
    const owned = guarded === 'entry' ? object : `fields of ${object}`;
    return new RegExp(`Stack \\S+/web owns ${owned}, ${who} take the stack's entry out of its metadata\\.managedFields`);
  }
  return guarded === 'owner'
    ? new RegExp(`Stack \\S+/web owns ${object}, ${who} add an owner to its metadata\\.ownerReferences`)
    : new RegExp(`Stack \\S+/web owns .*${guarded.map(escaped).join('.*')}.* of ${object}, ${who} change them\\. Change the program`);
}
const escaped = (path: string) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** A Warning header quotes its text. */
const unquoted = (warning: string) => warning.replaceAll('\\"', '"');

describe('guards that warn', () => {
  test('are in force', async () => {
    const printed = await guard([], ({ warnings }) => warnings.some((warning) => /Stack \S+\/web owns/.test(warning)));
    expect(printed).not.toContain('hunter2');
    expect(printed).not.toContain(Buffer.from('hunter2-hunter2').toString('base64'));
    const again = await project.run(flags, administrator);
    expect(again.stdout).toBe(printed);
  });

  test.each(rows.map((row) => [text(row), row] as const))('%s', async (_, row) => {
    const { status, message, warnings } = await send[row.who](row);
    expect(status, message).toBeLessThan(300);
    const of = warnings.map(unquoted).filter((warning) => warning.includes('ValidatingAdmissionPolicy'));
    if (row.guarded === undefined) expect(of).toEqual([]);
    else {
      expect(of.length, String(warnings)).toBeGreaterThan(0);
      for (const warning of of) expect(warning).toMatch(sentence(row));
    }
  });
});

test('guards that deny need a break-glass group', async () => {
  const { exitCode, stderr } = await testEnvironment.program({ web: [later] }).run(['guard', '--deny']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('[break-glass-missing]')]);
});

test('a list that is too long for one policy', async () => {
  const env = Array.from({ length: 200 }, (_, index) => ({ name: `VARIABLE_${index}`, value: 'old' }));
  const { template, ...spec } = deployment('long').spec;
  const long = deployment('long', { ...spec, template: { ...template, spec: { ...template.spec, containers: [{ ...container, env }] } } });
  const big = testEnvironment.program({ web: [own(long)] });
  await cluster.apply('others', long);
  const { stdout, stderr } = await big.run([...flags, '--deny']);
  const guards = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(guards.length, stderr).toBeGreaterThan(4);
  for (const object of guards) {
    testEnvironment.removeLater(object);
    await cluster.apply('administrator', object);
  }
  const set = (name: string) =>
    send.pat({ verb: 'strategic', path: `${apps}/long`, body: podSpec({ containers: [{ name: 'web', env: [{ name, value: 'new' }] }] }) });
  for (const name of ['VARIABLE_0', 'VARIABLE_100', 'VARIABLE_199']) {
    await poll(`${name} is guarded`, async () => (await set(name)).status === 403);
    expect((await set(name)).message).toContain(`owns ${item}.env[name="${name}"].value of Deployment ${namespace}/long`);
  }
  expect((await set('ANOTHER')).status).toBe(200);
  expect((await send.deployer({ verb: 'delete', path: `${apps}/long` }, false)).status).toBe(200);
});

describe('guards that deny', () => {
  test('are in force, and name the managers that they stop', async () => {
    await cluster.patch('kubectl-edit', web, { metadata: { labels: { 'team.example.com/owner': 'edited' } } });
    await cluster.patch('autoscaler', web, { spec: { replicas: 3 } }, 'merge', 'scale');
    const printed = await guard(['--deny'], ({ status }) => status === 403);
    expect(printed).toContain(
      `# Stops autoscaler (Update, scale), unless its user is exempt: .spec.replicas of Deployment ${namespace}/web\n`,
    );
    expect(printed).toContain(
      `# Stops kubectl-edit (Update), unless its user is exempt: .metadata.labels.team.example.com/owner of Deployment ${namespace}/web\n`,
    );
    expect(printed.match(/^# Stops /gm)).toHaveLength(2);
    // The deployer restores its fields under the guard.
    const deployed = await project.deploy(['--yes']);
    expect(deployed.exitCode, String(deployed)).toBe(0);
    await project.deploy();
    await send.deployer({ verb: 'delete', path: `${core}/configmaps/later` }, false);
  });

  test.each(rows.map((row) => [text(row), row] as const))('%s', async (_, row) => {
    const { status, message, warnings } = await send[row.who](row);
    expect(warnings.filter((warning) => warning.includes('ValidatingAdmissionPolicy'))).toEqual([]);
    if (row.guarded === undefined) expect(status, message).toBeLessThan(300);
    else {
      expect(status, message).toBe(403);
      expect(message).toMatch(sentence(row));
    }
  });

  test('an entry that somebody doubled before', async () => {
    const double = [{ op: 'add', path: '/spec/template/spec/containers/0/env/-', value: { name: 'A', value: '1' } }];
    expect((await send.oncall({ verb: 'json', path: `${apps}/web`, body: double }, false)).status).toBe(200);
    const change = (path: string, value: unknown) =>
      send.pat({ verb: 'json', path: `${apps}/web`, body: [{ op: 'add', path: `/spec/template/spec/containers/0/${path}`, value }] });
    expect((await change('env/1/value', '9')).message).toContain(`owns ${item}.env[name="A"] of Deployment`);
    expect((await change('env/-', { name: 'MINE', value: '9' })).status).toBe(200);
    expect((await change('workingDir', '/')).status).toBe(200);
  });

  test('the deployer changes, releases and deletes under them', async () => {
    const changed = await project.deploy();
    expect(changed.exitCode, String(changed)).toBe(0);
    project.write({ 'main.ts': testEnvironment.text({ web: [own(deployment('web', { replicas: 4 }))] }) });
    const released = await project.deploy(['--yes']);
    expect(released.exitCode, String(released)).toBe(0);
    expect(released.objects.map(({ result }) => result)).toEqual(expect.arrayContaining(['updated', 'deleted', 'released']));
    const destroyed = await project.destroy();
    expect(destroyed.exitCode, String(destroyed)).toBe(0);
  });
});
