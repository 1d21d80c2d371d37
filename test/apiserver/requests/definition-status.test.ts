import { describe, expect, test } from 'vitest';
import { selfSignedCertificate } from '../../../src/apiserver/http/certificate.js';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { poll } from '../../harness/poll.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** What the status of a CustomResourceDefinition says of its names, its review and its conversion webhook. */
const testEnvironment = await TestEnvironment.create('definition-status');
const { cluster } = testEnvironment;
const { client } = cluster;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const schema = { openAPIV3Schema: { type: 'object' } };
let count = 0;

interface Definition {
  readonly group?: string;
  readonly names?: object;
  readonly spec?: object;
  readonly annotations?: object;
}

/** Creates a definition; returns its name and group. */
async function create({ group, names = {}, spec = {}, annotations = {} }: Definition): Promise<{ name: string; group: string }> {
  count += 1;
  const own = group ?? `g${count}.${testEnvironment.namespace}.example.com`;
  const all = { kind: 'Widget', plural: 'widgets', ...names };
  const name = `${all.plural}.${own}`;
  testEnvironment.removeCrdLater(name);
  const versions = ['v1', 'v2'].map((each) => ({ name: each, served: true, storage: each === 'v1', schema }));
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, annotations },
    spec: { group: own, scope: 'Namespaced', names: all, versions, ...spec },
  };
  await client.call('POST', definitions, { body });
  return { name, group: own };
}

const patch = (name: string, body: object): Promise<ResponseBody> =>
  client.call('PATCH', `${definitions}/${name}`, { body, contentType: 'application/merge-patch+json' });

/** Waits for a condition; returns it as a text. */
async function condition(name: string, type: string, reason: string): Promise<string> {
  let found = '';
  await poll(`${name} has the condition ${type} for the reason ${reason}`, async () => {
    const { status } = await client.call('GET', `${definitions}/${name}`);
    const all: readonly ResponseBody[] = status.conditions ?? [];
    const one = all.find((each) => each.type === type);
    found = one ? `${one.status} ${one.reason}: ${one.message}` : '';
    return one?.reason === reason;
  });
  return found;
}

const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    ({ status, body }: ApiCallError) => `${status} ${body.message}`,
  );

describe('the certificate authority of a conversion webhook', () => {
  const { cert } = selfSignedCertificate(new Date());
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const block = (type: string, content: string) => `-----BEGIN ${type}-----\n${content}\n-----END ${type}-----\n`;
  const conversion = (bundle: string) => ({
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/', caBundle: encoded(bundle) } },
    },
  });
  const headers = cert.replace('-----\n', '-----\nA: b\n\n');
  const unparsed = 'unable to parse bytes as PEM block';
  const unseen = 'no valid certificate authority data seen';

  describe('of an established definition cannot become invalid', async () => {
    const { name } = await create({ spec: conversion(cert) });
    await condition(name, 'Established', 'InitialNamesAccepted');
    test.each<readonly [what: string, bundle: string, problem: string | undefined]>([
      ['another one', selfSignedCertificate(new Date()).cert, undefined],
      ['two', cert + cert, undefined],
      ['texts around it', `hello\n${cert}bye`, undefined],
      ['one beside a key', block('PRIVATE KEY', 'MIIB') + cert, undefined],
      ['one beside a broken one', block('CERTIFICATE', 'MIIB') + cert, undefined],
      ['a line break', '\n', unparsed],
      ['a text', 'abc', unparsed],
      ['half of one', cert.slice(0, 300), unparsed],
      ['no base64', block('CERTIFICATE', '!!!!'), unparsed],
      ['a key', block('PRIVATE KEY', 'MIIB'), unseen],
      ['one with headers', headers, unseen],
      ['a broken one', block('CERTIFICATE', 'MIIB'), 'failed to parse certificate: x509: malformed certificate'],
    ])('%s', async (_, bundle, problem) => {
      const answer = await refusal(patch(name, { spec: conversion(bundle) }));
      const field = `spec.conversion.webhookClientConfig.caBundle: Invalid value: "${encoded(bundle)}"`;
      const text = `${name}" is invalid: ${field}: unable to load root certificates: ${problem}`;
      expect(answer).toBe(problem === undefined ? 'accepted' : `422 CustomResourceDefinition.apiextensions.k8s.io "${text}`);
    });
  });

  test('of a new definition may be invalid, and then the definition is not established', async () => {
    const { name, group } = await create({ spec: conversion('abc') });
    expect(await condition(name, 'Established', 'InvalidCABundle')).toBe(
      'False InvalidCABundle: The conversion webhook CABundle is invalid',
    );
    expect(await condition(name, 'NamesAccepted', 'NoConflicts')).toBe('True NoConflicts: no conflicts found');
    expect(await refusal(client.call('GET', `/apis/${group}/v1`))).toMatch(/^404 /);
    const path = `/apis/${group}/v1/namespaces/${testEnvironment.namespace}/widgets`;
    expect(await refusal(client.call('GET', path))).toBe('500 Internal error occurred: error resolving resource');
    expect(await refusal(patch(name, { metadata: { labels: { a: 'b' } } }))).toBe('accepted');
    expect(await refusal(patch(name, { spec: conversion('def') }))).toBe('accepted');
    expect(await refusal(patch(name, { spec: conversion(cert) }))).toBe('accepted');
    expect(await condition(name, 'Established', 'InitialNamesAccepted')).toMatch(/^True /);
    await poll('the server tells of the kind', () => cluster.serves(`${group}/v1`, 'Widget'));
    expect(await refusal(patch(name, { spec: conversion('abc') }))).toMatch(/^422 /);
  });

  test('of a new definition may be white space, and its objects are served', async () => {
    const { name, group } = await create({ spec: conversion('\n') });
    await condition(name, 'Established', 'InvalidCABundle');
    const path = `/apis/${group}/v1/namespaces/${testEnvironment.namespace}/widgets`;
    await client.call('POST', path, { body: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' } } });
    expect((await client.call('GET', `${path}/a`)).metadata.name).toBe('a');
    expect(await refusal(client.call('GET', `${path.replace('/v1/', '/v2/')}/a`))).toContain('connection refused');
  });
});

describe('the review of a definition in a group of the community', () => {
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const key = 'api-approved.kubernetes.io';
  const groupOf = (suffix: string) => `g${++count}.${testEnvironment.namespace}.${suffix}`;
  const required = `metadata.annotations[${key}]: Required value: protected groups must have approval annotation "${key}", see https://github.com/kubernetes/enhancements/pull/1111`;

  test.each<readonly [group: string, annotation: string, found: string]>([
    [
      'k8s.io',
      'https://github.com/kubernetes/kubernetes/pull/1',
      'True ApprovedAnnotation: approved in https://github.com/kubernetes/kubernetes/pull/1',
    ],
    ['k8s.io', 'foo://bar', 'True ApprovedAnnotation: approved in foo://bar'],
    ['kubernetes.io', 'https://x/#y', 'True ApprovedAnnotation: approved in https://x/#y'],
    ['kubernetes.io', 'unapproved, a "test"', 'False UnapprovedAnnotation: not approved: "unapproved, a \\"test\\""'],
    ['k8s.io', 'unapprovedfoo', 'False UnapprovedAnnotation: not approved: "unapprovedfoo"'],
  ])('%s, %s', async (suffix, annotation, found) => {
    const { name } = await create({ group: groupOf(suffix), annotations: { [key]: annotation } });
    expect(await condition(name, type, found.split(/[ :]/)[1] as string)).toBe(found);
  });

  test.each(['bad value', 'approved', 'https://', '/path', '//host/path', ' https://x', 'https://a b', 'https://x:y/', 'https://x/%zz'])(
    'is not %s',
    async (annotation) => {
      const detail = `protected groups must have approval annotation "${key}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
      expect(await refusal(create({ group: groupOf('k8s.io'), annotations: { [key]: annotation } }))).toContain(
        `metadata.annotations[${key}]: Invalid value: "${annotation}": ${detail}`,
      );
    },
  );

  test('is named', async () => {
    expect(await refusal(create({ group: groupOf('k8s.io') }))).toContain(required);
    expect(await refusal(create({ group: groupOf('k8s.io'), annotations: { [key]: '' } }))).toContain(required);
  });

  test('changes with the annotation', async () => {
    const { name } = await create({ group: groupOf('k8s.io'), annotations: { [key]: 'unapproved' } });
    await condition(name, type, 'UnapprovedAnnotation');
    const annotated = (text: string | null) => refusal(patch(name, { metadata: { annotations: { [key]: text } } }));
    expect(await annotated('https://x/y')).toBe('accepted');
    expect(await condition(name, type, 'ApprovedAnnotation')).toBe('True ApprovedAnnotation: approved in https://x/y');
    expect(await annotated('bad')).toMatch(/^422 /);
    expect(await annotated(null)).toContain(required);
    expect(await annotated('unapproved again')).toBe('accepted');
    expect(await condition(name, type, 'UnapprovedAnnotation')).toBe('False UnapprovedAnnotation: not approved: "unapproved again"');
  });

  test('is not needed in other groups', async () => {
    const { name } = await create({ annotations: { [key]: 'bad' } });
    await condition(name, 'Established', 'InitialNamesAccepted');
    const { status } = await client.call('GET', `${definitions}/${name}`);
    expect(status.conditions.map((each: ResponseBody) => each.type).toSorted()).toEqual(['Established', 'NamesAccepted']);
  });
});

describe('names', () => {
  test('that are missing have defaults, at once and again', async () => {
    const { name } = await create({ names: { kind: 'MyHTTPThing', plural: 'mythings' } });
    const defaults = { singular: 'myhttpthing', listKind: 'MyHTTPThingList' };
    const read = await client.call('GET', `${definitions}/${name}`);
    expect(read.spec.names).toEqual({ kind: 'MyHTTPThing', plural: 'mythings', ...defaults });
    await condition(name, 'Established', 'InitialNamesAccepted');
    const removed = await patch(name, { spec: { names: { singular: null, listKind: null } } });
    expect({ names: removed.spec.names, generation: removed.metadata.generation }).toEqual({
      names: { kind: 'MyHTTPThing', plural: 'mythings', ...defaults },
      generation: 1,
    });
    const emptied = await patch(name, { spec: { names: { singular: '', listKind: '', shortNames: [] } } });
    expect(emptied.spec.names).toEqual({ kind: 'MyHTTPThing', plural: 'mythings', ...defaults });
    expect((await client.call('GET', `${definitions}/${name}`)).status.acceptedNames).toEqual({
      kind: 'MyHTTPThing',
      plural: 'mythings',
      ...defaults,
    });
  });

  test.each<readonly [what: string, first: object, second: object, found: string]>([
    ['a kind', { plural: 'as', kind: 'A' }, { plural: 'bs', kind: 'A' }, 'ListKindConflict: "AList" is already in use'],
    ['a kind alone', { plural: 'as', kind: 'A' }, { plural: 'bs', kind: 'A', listKind: 'Bs' }, 'KindConflict: "A" is already in use'],
    ['a singular', { plural: 'as', kind: 'A' }, { plural: 'bs', kind: 'B', singular: 'as' }, 'SingularConflict: "as" is already in use'],
    ['a plural', { plural: 'as', kind: 'A', singular: 'bs' }, { plural: 'bs', kind: 'B' }, 'PluralConflict: "bs" is already in use'],
    [
      'short names',
      { plural: 'as', kind: 'A', shortNames: ['x', 'y'] },
      { plural: 'bs', kind: 'B', shortNames: ['x', 'y', 'z'] },
      'ShortNamesConflict: ["x" is already in use, "y" is already in use]',
    ],
  ])('that another definition has: %s', async (_, first, second, found) => {
    const { name: other, group } = await create({ names: first });
    await condition(other, 'Established', 'InitialNamesAccepted');
    const { name } = await create({ group, names: second });
    expect(await condition(name, 'NamesAccepted', found.split(':')[0] as string)).toBe(`False ${found}`);
    expect(await condition(name, 'Established', 'NotAccepted')).toBe('False NotAccepted: not all names are accepted');
    await client.call('DELETE', `${definitions}/${other}`);
    expect(await condition(name, 'NamesAccepted', 'NoConflicts')).toBe('True NoConflicts: no conflicts found');
    expect(await condition(name, 'Established', 'InitialNamesAccepted')).toMatch(/^True /);
  });
});
