import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConflictTexts } from '../../../../src/inspect/explain/read-conflict-texts.js';

const messages = join(import.meta.dirname, '../../../conflict-messages');
const fixture = (name: string) => readFileSync(join(messages, `${name}.txt`), 'utf8');

/** Returns `tool object: field by manager, …` for each conflict. */
const summaries = (text: string) =>
  readConflictTexts(text).map((conflict) => {
    const { apiVersion = '', kind = '', namespace = '', name = '' } = conflict.object ?? {};
    const object = conflict.object === undefined ? 'no object' : `${apiVersion} ${kind} ${namespace}/${name}`.trim();
    if (conflict.about === 'release') return `${conflict.tool} ${object}: release ${conflict.release}, wanted ${conflict.wanted}`;
    const fields = conflict.fields.map(
      ({ field, manager, operation, subresource = '', time = '' }) =>
        `${field} by ${[manager, operation, subresource, time].filter(Boolean).join(' ')}`,
    );
    return `${conflict.tool} ${object}: ${fields.join(', ')}`;
  });

const image = '.spec.template.spec.containers[name="web"].image';
const scaled = '.spec.replicas by kubectl Update scale';
const both = `${scaled}, ${image} by kustomize-controller Apply`;

const recorded: Readonly<Record<string, readonly string[]>> = {
  'kubectl-one': [`kubectl no object: ${scaled}`],
  'kubectl-several': [`kubectl no object: ${both}`],
  'kubectl-two-objects': [
    `kubectl no object: ${scaled}`,
    'kubectl no object: .data.color by say-"hi"-\\ Apply, .data.log.level by say-"hi"-\\ Apply',
  ],
  'kubectl-diff': [`kubectl apps/v1 Deployment /web: ${both}`],
  'flux-one': [`flux Deployment shop/web: ${scaled}`],
  'flux-several': [`flux Deployment shop/web: ${scaled}`],
  'helm3-exists': ['helm-3 Deployment shop/web: release undefined, wanted web'],
  'helm3-other-release': ['helm-3 Deployment market/web: release web, wanted other'],
  'helm4-exists': ['helm-4 Deployment shop/web: release undefined, wanted web'],
  'helm4-other-release': ['helm-4 Deployment market/web: release web, wanted other'],
  'helm4-take-ownership': [`helm-4 apps/v1 Deployment shop/web: ${scaled}`],
  'helm4-upgrade': [`helm-4 apps/v1 Deployment market/web: ${scaled}, ${image} by kubectl-set Update`],
  'helm4-cluster-scoped': ['helm-4 rbac.authorization.k8s.io/v1 ClusterRole /reader: .rules by kubectl Apply'],
};

test.each(Object.entries(recorded))('reads what was recorded: %s', (name, expected) => {
  expect(summaries(fixture(`recorded/${name}`))).toEqual(expected);
});

/** The words of these tools are from their source; the message of the server is real. */
const notRecorded: Readonly<Record<string, readonly string[]>> = {
  'argo-cd': [`argo-cd Deployment shop/web: .spec.replicas by kube-controller-manager Update scale, ${image} by kubectl-edit Update`],
  pulumi: [`pulumi apps/v1 Deployment shop/web: ${both}`],
  terraform: [`terraform shop/web: ${both}`],
  crossplane: ['crossplane no object: .spec.replicas by kubectl-edit Update 2026-11-25T10:00:00Z'],
};

test.each(Object.entries(notRecorded))('reads what was not recorded: %s', (name, expected) => {
  expect(summaries(fixture(`not-recorded/${name}`))).toEqual(expected);
});

const message = readFileSync(join(messages, 'recorded/kubectl-several.txt'), 'utf8').slice('error: '.length).split('\nPlease')[0] as string;

/** What programs that pass a text on make of it; the conflict stays the same. */
const disguises: Readonly<Record<string, (text: string) => string>> = {
  'carriage returns': (text) => text.replaceAll('\n', '\r\n'),
  colors: (text) => `\u001b[31m${text.replaceAll('conflicts', '\u001b[1mconflicts\u001b[0m')}\u001b[0m`,
  'a link of a terminal': (text) => `\u001b]8;;https://example.com\u001b\\x\u001b]8;;\u0007 ${text}`,
  'a frame': (text) => text.replaceAll(/^/gm, '│ '),
  'a frame that is indented': (text) => text.replaceAll(/^/gm, '   │ '),
  'times of a log': (text) => text.replaceAll(/^/gm, '2026-11-25T10:00:00.1234567Z '),
  indentation: (text) => text.replaceAll(/^/gm, '      '),
  'one line': (text) => text.replaceAll('\n', ' '),
  'one line, and text after it': (text) => `${text.replaceAll('\n', ' ')} Please review the fields`,
  'a string of JSON': (text) => `{"level":"error","error":${JSON.stringify(text)},"other":"x"}`,
  'a string of JSON in one of JSON': (text) => JSON.stringify({ log: JSON.stringify({ error: text }) }),
  'three strings of JSON': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
};

test.each(Object.entries(disguises))('reads a message in %s', (_, disguise) => {
  expect(summaries(disguise(message)).map((summary) => summary.replace(/^.*?: /, ''))).toEqual([both]);
});

test.each([
  ['.metadata.annotations.example.com/a b', 'a key with a space, in a list'],
  ['.spec.ports[port=443,protocol="TCP"].name', 'several keys'],
  ['.spec.x[name="a \\"b\\" ]c"].y', 'quotes and brackets in a key'],
  ['.metadata.finalizers[="example.com/keep"]', 'an item of a set'],
  ['.spec.x[3]', 'an index'],
])('reads the path %s (%s)', (path) => {
  const text = `Apply failed with 2 conflicts: conflicts with "m":\n- ${path}\n- .other`;
  expect(readConflictTexts(text)).toMatchObject([{ fields: [{ field: path }, { field: '.other' }] }]);
});

test('says how many conflicts the server counted, where the text is cut off', () => {
  expect(readConflictTexts('Apply failed with 7 conflicts: conflicts with "m":\n- .a\n- .b\nconflicts wi')).toMatchObject([
    { count: 7, fields: [{ field: '.a' }, { field: '.b' }] },
  ]);
});

describe('a text without a conflict', () => {
  test.each([
    '',
    'deployment.apps/web serverside-applied',
    'Apply failed with 1 conflict: ',
    'Apply failed with 1 conflict: conflict with "m',
    'Apply failed with 99999999999999 conflicts: conflicts with "m":\n- .a',
    'error: Operation cannot be fulfilled on deployments.apps "web": the object has been modified\nPlease review the fields above',
  ])('%j', (text) => {
    expect(readConflictTexts(text)).toEqual([]);
  });
});

test('tells two objects without names apart, and reads one of a name once', () => {
  expect(summaries(`error: ${message}\nerror: ${message}\n`)).toHaveLength(2);
  expect(summaries(fixture('recorded/helm4-upgrade'))).toHaveLength(1);
});

describe('a hostile text is read in time', () => {
  const million = 1_000_000;
  const header = 'Apply failed with 2 conflicts: conflicts with "m":\n';
  const texts: Readonly<Record<string, string>> = {
    'one letter': 'A'.repeat(4 * million),
    spaces: `Apply${' '.repeat(4 * million)}failed`,
    headers: header.repeat(million / 20),
    'headers of quoted texts': 'Apply failed with 1 conflict: conflict with \\"m\\": .a '.repeat(million / 50),
    'headers without owners': 'Apply failed with 1 conflict: '.repeat(million / 10),
    backslashes: `Apply failed with 1 conflict: conflict with ${'\\'.repeat(2 * million)}"m": .a`,
    'backslashes before quotes': `Apply failed with 1 conflict: conflict with \\"m\\": ${`${'\\'.repeat(50)}"`.repeat(million / 20)}`,
    'an open quote': `Apply failed with 1 conflict: conflict with "${'a'.repeat(4 * million)}`,
    'an open key': `${header}- .a[${'"'.repeat(2 * million)}`,
    items: `${header}${'- .a\n'.repeat(million / 2)}`,
    'one path': `Apply failed with 1 conflict: conflict with "m": .${'a'.repeat(4 * million)}`,
    'dashes of one line': `${header} ${'- .a '.repeat(million / 2)}`,
    frames: '│ '.repeat(2 * million),
    escapes: '\u001b['.repeat(2 * million),
    'open links': '\u001b]8;;'.repeat(million / 2),
    names: `Kind/${'a/'.repeat(million)} dry-run failed ${header}`,
    'a table': `${'apps  Deployment  shop  web  '.repeat(million / 20)}\n${header}`,
    'refusals of Helm': 'Unable to continue with install: Deployment "web" in namespace "shop" exists and cannot '.repeat(million / 50),
  };
  /** The conflicts and fields in the texts that have any. */
  const found: Readonly<Record<string, readonly [conflicts: number, fields: number]>> = {
    'headers of quoted texts': [20_000, 20_000],
    'an open key': [1, 1],
    items: [1, million / 2],
    'one path': [1, 1],
    'dashes of one line': [1, 1],
  };
  test.each(Object.entries(texts))('%s', { timeout: 15_000 }, (name, text) => {
    const conflicts = readConflictTexts(text);
    const fields = conflicts.flatMap((conflict) => (conflict.about === 'fields' ? conflict.fields : []));
    expect([conflicts.length, fields.length]).toEqual(found[name] ?? [0, 0]);
  });
});

describe('a message as people pass it on', () => {
  const message = 'error: Apply failed with 1 conflict: conflict with "helm" using apps/v1: .spec.replicas\nPlease review the fields above';

  test.each([
    ['quoted in a mail', message.replace(/^/gm, '> ')],
    ['quoted twice', message.replace(/^/gm, '> > ')],
    ['in a log of several containers', message.replace(/^/gm, 'web-1  | ')],
    ['with quotes of a chat', message.replace(/"(\w+)"/, '“$1”')],
    ['in HTML', message.replaceAll('"', '&quot;')],
    ['in lower case', message.toLowerCase()],
  ])('%s', (_, text) => {
    expect(readConflictTexts(text)).toMatchObject([{ fields: [{ field: '.spec.replicas', manager: 'helm', operation: 'Update' }] }]);
  });

  test('a name that is longer than any is read as no owner', () => {
    const long = 'a'.repeat(10_000_000);
    expect(readConflictTexts(`Apply failed with 1 conflict: conflict with "${long}" using v1: .data.a`)).toEqual([]);
    expect(readConflictTexts(`Apply failed with 1 conflict: conflict with "${long}`)).toEqual([]);
  });
});
