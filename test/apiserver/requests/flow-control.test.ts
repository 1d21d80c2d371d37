import { expect, test } from 'vitest';
import { causesOf } from '../../harness/causes-of.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** By which words a server refuses what says how it shares its capacity between clients. */
const testEnvironment = await TestEnvironment.create('flow-control');
const { cluster, namespace } = testEnvironment;

const rule = (r: object) => ({
  priorityLevelConfiguration: { name: 'global-default' },
  rules: [{ subjects: [{ kind: 'User', user: { name: 'a' } }], ...r }],
});
const resources = (r: object) =>
  rule({ resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['a'], ...r }] });
const urls = (r: object) => rule({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'], ...r }] });
const subject = (s: object) => rule({ subjects: [s], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] });
const limited = (l: object) => ({ type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...l } });
const queue = (q?: object) => limited({ limitResponse: { type: 'Queue', ...(q ? { queuing: q } : {}) } });

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

type Row = readonly [spec: object, causes: readonly string[]];

let made = 0;
async function causesFor(kind: string, spec: object, metadata: object = {}): Promise<readonly string[]> {
  made += 1;
  const object = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind, metadata: { name: `${namespace}-${made}`, ...metadata }, spec };
  testEnvironment.removeLater(object);
  return causesOf(cluster.create('test', object));
}

test.each<Row>([
  [rule({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] }), []],
  [{}, ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
  [{ priorityLevelConfiguration: {} }, ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
  [{ priorityLevelConfiguration: { name: 'A_b' } }, [`spec.priorityLevelConfiguration.name: Invalid value: "A_b": ${subdomain}`]],
  [
    { matchingPrecedence: -1, priorityLevelConfiguration: { name: 'a' } },
    ['spec.matchingPrecedence: Invalid value: -1: must be a positive value'],
  ],
  [
    { matchingPrecedence: 10001, priorityLevelConfiguration: { name: 'a' } },
    ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
  ],
  [
    { matchingPrecedence: 1, priorityLevelConfiguration: { name: 'a' } },
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    { distinguisherMethod: { type: 'By' }, priorityLevelConfiguration: { name: 'a' } },
    ['spec.distinguisherMethod.type: Unsupported value: {"Type":"By"}: supported values: "ByNamespace", "ByUser"'],
  ],
  [
    { distinguisherMethod: {}, priorityLevelConfiguration: { name: 'a' } },
    ['spec.distinguisherMethod.type: Unsupported value: {"Type":""}: supported values: "ByNamespace", "ByUser"'],
  ],
  [
    { priorityLevelConfiguration: { name: 'a' }, rules: [{}] },
    [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  ],
  [rule({}), ['spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty']],
  [
    rule({ subjects: [] }),
    [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  ],
  [subject({}), ['spec.rules[0].subjects[0].kind: Unsupported value: "": supported values: "Group", "ServiceAccount", "User"']],
  [
    subject({ kind: 'Nobody' }),
    ['spec.rules[0].subjects[0].kind: Unsupported value: "Nobody": supported values: "Group", "ServiceAccount", "User"'],
  ],
  [subject({ kind: 'User' }), ["spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'"]],
  [subject({ kind: 'Group' }), ["spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'"]],
  [
    subject({ kind: 'ServiceAccount' }),
    ["spec.rules[0].subjects[0].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'"],
  ],
  [subject({ kind: 'User', user: {} }), ['spec.rules[0].subjects[0].user.name: Required value']],
  [
    subject({ kind: 'User', user: { name: '' }, group: { name: 'g' }, serviceAccount: { name: 'a', namespace: 'b' } }),
    [
      'spec.rules[0].subjects[0].user.name: Required value',
      "spec.rules[0].subjects[0].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    ],
  ],
  [
    subject({ kind: 'Group', group: { name: '' }, user: { name: 'u' } }),
    [
      'spec.rules[0].subjects[0].group.name: Required value',
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
    ],
  ],
  [
    subject({ kind: 'Group', group: { name: 'b' }, user: { name: 'u' }, serviceAccount: { name: 'a', namespace: 'b' } }),
    [
      "spec.rules[0].subjects[0].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'",
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
    ],
  ],
  [
    subject({ kind: 'ServiceAccount', serviceAccount: {} }),
    [
      'spec.rules[0].subjects[0].serviceAccount.name: Required value',
      'spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account',
    ],
  ],
  [
    subject({ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: '*' } }),
    [`spec.rules[0].subjects[0].serviceAccount.namespace: Invalid value: "*": ${label}`],
  ],
  [
    subject({ kind: 'ServiceAccount', serviceAccount: { name: 'A_', namespace: 'b' }, user: { name: 'a' }, group: { name: 'b' } }),
    [
      `spec.rules[0].subjects[0].serviceAccount.name: Invalid value: "A_": ${subdomain}`,
      "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    ],
  ],
  [urls({ verbs: [] }), ['spec.rules[0].nonResourceRules[0].verbs: Required value: verbs must contain at least one value']],
  [
    urls({ verbs: ['*', 'get'] }),
    [`spec.rules[0].nonResourceRules[0].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`],
  ],
  [
    urls({ verbs: ['get', 'fetch'] }),
    [
      'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["get","fetch"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
    ],
  ],
  [
    urls({ nonResourceURLs: [] }),
    ['spec.rules[0].nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value'],
  ],
  [
    urls({ nonResourceURLs: ['*', '/a'] }),
    [
      `spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`,
    ],
  ],
  [
    urls({ nonResourceURLs: ['', 'a', '/a b', '/a//b', '/*/a', '/a*', '/a/*', '/', '/*/*'] }),
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "": must not be empty',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "a": must start with slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: "/a b": must not contain white-space',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: "/a//b": must not contain double slash',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[4]: Invalid value: "/*/a": wildcard can only do suffix matching',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[5]: Invalid value: "/a*": wildcard can only do suffix matching',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[8]: Invalid value: "/*/*": wildcard can only do suffix matching',
    ],
  ],
  [
    urls({ verbs: undefined, nonResourceURLs: undefined }),
    [
      'spec.rules[0].nonResourceRules[0].verbs: Required value: verbs must contain at least one value',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value',
    ],
  ],
  [
    resources({ verbs: ['POST'] }),
    [
      'spec.rules[0].resourceRules[0].verbs: Unsupported value: ["POST"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
    ],
  ],
  [
    resources({ apiGroups: [] }),
    ['spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group'],
  ],
  [
    resources({ apiGroups: ['*', 'a'] }),
    [`spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other api groups`],
  ],
  [
    resources({ resources: [] }),
    ['spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource'],
  ],
  [
    resources({ resources: ['*', 'a'] }),
    [`spec.rules[0].resourceRules[0].resources: Invalid value: ["*","a"]: if '*' is present, must not specify other resources`],
  ],
  [
    resources({ namespaces: [] }),
    [
      'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
    ],
  ],
  [resources({ namespaces: [], clusterScope: true }), []],
  [
    resources({ namespaces: ['*', 'a'] }),
    [`spec.rules[0].resourceRules[0].namespaces: Invalid value: ["*","a"]: if '*' is present, must not specify other namespaces`],
  ],
  [
    resources({ namespaces: ['A', ''] }),
    [
      `spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; ${label}`,
      `spec.rules[0].resourceRules[0].namespaces[1]: Invalid value: "": each member of this list must be '*' or a DNS-1123 label; ${label}`,
    ],
  ],
  [
    rule({ resourceRules: [{}] }),
    [
      'spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value',
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource',
      'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
    ],
  ],
  [{ priorityLevelConfiguration: { name: 'a' }, rules: null }, []],
])('a FlowSchema with %j', async (spec, expected) => {
  expect(await causesFor('FlowSchema', spec)).toEqual(expected);
});

test.each<Row>([
  [limited({}), []],
  [{}, ['spec.type: Required value']],
  [{ type: 'Other' }, ['spec.type: Unsupported value: "Other": supported values: "Exempt", "Limited"']],
  [{ type: 'Limited' }, ['spec.limited: Required value: must not be empty when type is Limited']],
  [{ type: 'Exempt' }, [`spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if \`name\` is 'exempt'`]],
  [
    { type: 'Exempt', limited: limited({}).limited, exempt: { lendablePercent: 200, nominalConcurrencyShares: -1 } },
    [
      `spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if \`name\` is 'exempt'`,
      'spec.limited: Forbidden: must be nil if the type is not Limited',
      'spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.exempt.lendablePercent: Invalid value: 200: must be between 0 and 100, inclusive',
    ],
  ],
  [{ ...limited({}), exempt: { nominalConcurrencyShares: 1 } }, ['spec.exempt: Forbidden: must be nil if the type is Limited']],
  [
    limited({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 }),
    [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
  ],
  [
    limited({ nominalConcurrencyShares: 0, lendablePercent: -1 }),
    ['spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive'],
  ],
  [limited({ limitResponse: undefined }), ['spec.limited.limitResponse.type: Required value']],
  [limited({ limitResponse: {} }), ['spec.limited.limitResponse.type: Required value']],
  [
    limited({ limitResponse: { type: 'Wait' } }),
    ['spec.limited.limitResponse.type: Unsupported value: "Wait": supported values: "Queue", "Reject"'],
  ],
  [
    limited({ limitResponse: { type: 'Reject', queuing: {} } }),
    ['spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited'],
  ],
  [queue(), ['spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited']],
  [queue({}), []],
  [
    queue({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
    [
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: -1: must be positive',
    ],
  ],
  [
    queue({ queues: 10000001, handSize: 1 }),
    ['spec.limited.limitResponse.queuing.queues: Invalid value: 10000001: must not be greater than 10000000'],
  ],
  [
    queue({ queues: 4, handSize: 5 }),
    ['spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)'],
  ],
  [
    queue({ queues: 10000000, handSize: 10 }),
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 10: required entropy bits of deckSize 10000000 and handSize 10 should not be greater than 60',
    ],
  ],
  [
    queue({ queues: 64, handSize: 11 }),
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 11: required entropy bits of deckSize 64 and handSize 11 should not be greater than 60',
    ],
  ],
  [queue({ queues: 1024, handSize: 6 }), []],
  [
    queue({ queues: 1024, handSize: 7 }),
    [
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 7: required entropy bits of deckSize 1024 and handSize 7 should not be greater than 60',
    ],
  ],
  [queue({ queues: 1, handSize: 1 }), []],
  [{ type: 'Limited', limited: null }, ['spec.limited: Required value: must not be empty when type is Limited']],
])('a PriorityLevelConfiguration with %j', async (spec, expected) => {
  expect(await causesFor('PriorityLevelConfiguration', spec)).toEqual(expected);
});

test('an annotation that only another version of a PriorityLevelConfiguration has is refused', async () => {
  const annotations = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' };
  expect(await causesFor('PriorityLevelConfiguration', limited({}), { annotations })).toEqual([
    "metadata.annotations: Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden",
  ]);
});
