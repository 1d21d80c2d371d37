import type { Random } from '../corpus/random.js';
import type { RecordedRequest } from './recorded-requests.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'CONNECT', 'FOO'];
const types = [
  'json',
  'yaml',
  'apply-patch+yaml',
  'json-patch+json',
  'merge-patch+json',
  'strategic-merge-patch+json',
  'vnd.kubernetes.protobuf',
];
const numbers = ['0', '-1', '1e999', '9007199254740993', '99999999999999999999999', '-0', '1.5', '4294967297'];
const oddValues = [
  ...numbers,
  'null',
  'true',
  '""',
  '"x"',
  '[]',
  '{}',
  '[[]]',
  '{"":""}',
  '"\\u0000"',
  '"\\ud800"',
  '{"__proto__":{"a":1}}',
  '[null]',
];
const oddTexts = [
  '%00',
  '%FF',
  '%2F',
  '%2e%2e',
  '%',
  '//',
  '..',
  ';',
  '&',
  '?',
  '#',
  '=',
  ' ',
  'ä',
  "'",
  '"',
  '<',
  '\\',
  '*',
  ',',
  '!',
  '\t',
  '%0A',
  '~1',
  '{',
  '\u0000',
];
const parameters = [
  'watch',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'labelSelector',
  'fieldSelector',
  'dryRun',
].concat([
  'fieldManager',
  'fieldValidation',
  'force',
  'pretty',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'propagationPolicy',
  'gracePeriodSeconds',
  'timeout',
]);
const headers: readonly (readonly [string, readonly string[]])[] = [
  [
    'accept',
    [
      '*/*',
      'application/yaml',
      'text/html',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/vnd.kubernetes.protobuf',
      ';;,,;=',
    ],
  ],
  ['impersonate-user', ['jane', '', 'system:serviceaccount:default:sa', 'ä']],
  ['impersonate-group', ['a', 'system:masters']],
  ['impersonate-extra-x%zz', ['y']],
  ['content-encoding', ['gzip', 'identity']],
  ['expect', ['100-continue', 'x']],
  ['user-agent', ['', 'x/y', '\u00e4'.repeat(300)]],
  ['connection', ['close', 'keep-alive', 'upgrade']],
  ['upgrade', ['websocket']],
  ['transfer-encoding', ['chunked', 'gzip']],
  ['content-length', ['0', '1', '-1', 'x', '99999999']],
  ['authorization', ['', 'Bearer x', 'Basic eDp5', 'Bearer a.b.c', 'Bearer eyJ9.eyJ9.eyJ9']],
];

/** Returns a request that differs from a valid one in one to four places. */
export function mutated(random: Random, request: RecordedRequest): RecordedRequest {
  let result = request;
  for (let count = 1 + random.below(4); count > 0; count--) result = random.pick(mutations)(random, result);
  return result;
}

type Mutation = (random: Random, request: RecordedRequest) => RecordedRequest;

const mutations: readonly Mutation[] = [
  (random, request) => ({ ...request, method: random.pick(methods) }),
  (random, request) => ({ ...request, target: inserted(random, request.target) }),
  (random, request) => ({ ...request, target: removed(random, request.target) }),
  (random, request) => ({ ...request, target: withParameter(random, request.target) }),
  (random, request) => ({ ...request, headers: { ...request.headers, 'content-type': `application/${random.pick(types)}` } }),
  (random, request) => {
    const [name, values] = random.pick(headers);
    return { ...request, headers: { ...request.headers, [name]: random.pick(values) } };
  },
  ...Array.from({ length: 6 }, (): Mutation => (random, request) => ({ ...request, body: oddBody(random, request.body) })),
];

function inserted(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(oddTexts) + text.slice(at);
}

function removed(random: Random, text: string): string {
  const at = 1 + random.below(text.length);
  return text.slice(0, at) + text.slice(at + 1 + random.below(8));
}

function withParameter(random: Random, target: string): string {
  const value = random.chance(0.5)
    ? random.pick(numbers)
    : random.pick(['', 'true', 'All', 'x', 'a=b', '!a', 'a in (b,', 'Strict', 'metadata.name=a', 'zz']);
  return `${target}${target.includes('?') ? '&' : '?'}${random.pick(parameters)}=${encodeURIComponent(value)}`;
}

function oddBody(random: Random, body: string): string {
  switch (random.below(7)) {
    case 0:
      return body.slice(0, random.below(body.length + 1));
    case 1:
      return inserted(random, body);
    case 2:
      return body.replace(/:\s*("[^"]*"|\d+|\[|\{)/g, (found) => (random.chance(0.2) ? `:${random.pick(oddValues)}` : found));
    case 3:
      return withOddValue(random, body);
    case 4: {
      const depth = random.pick([10, 1000, 9999, 20_000]);
      return body.replace(/"(?:v|x|1)"/, () => '[['.repeat(depth / 2) + ']]'.repeat(depth / 2));
    }
    case 5:
      return `k8s\u0000${body}`;
    default:
      return random.pick([
        ...oddValues,
        '',
        '- a',
        'a: &a [*a]',
        '{{{{',
        'a: b: c',
        `${body}${body}`,
        '\ufeff{}',
        'a: !!binary x',
        '<<: {a: b}',
      ]);
  }
}

/** Replaces one value of a JSON body by another. */
function withOddValue(random: Random, body: string): string {
  // A body that nests deeply is text.
  if (body.includes('[[[[')) return inserted(random, body);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return inserted(random, body);
  }
  const places: [Record<string, unknown>, string][] = [];
  const collect = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return;
    for (const name of Object.keys(part)) {
      places.push([part as Record<string, unknown>, name]);
      collect((part as Record<string, unknown>)[name]);
    }
  };
  collect(value);
  if (places.length === 0) return random.pick(oddValues);
  const [container, name] = random.pick(places);
  const marker = '@odd@';
  container[name] = marker;
  return JSON.stringify(value).replace(`"${marker}"`, () => random.pick(oddValues));
}
