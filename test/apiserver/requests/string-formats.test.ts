import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ApiCallError, ResponseBody } from '../../harness/api-client.js';
import { crdOf } from '../../harness/crd.js';
import { TestEnvironment } from '../../harness/test-environment.js';

/** Which texts kube-apiserver 1.36.3 accepts for a format of a string in a custom resource, and how it reads them as URLs in a rule. */
const testEnvironment = await TestEnvironment.create('string-formats');
const { cluster } = testEnvironment;
const kind = 'Formatted';
const apiVersion = `${testEnvironment.namespace}.example.com/v1`;

const recorded = JSON.parse(readFileSync(new URL('./definitions/string-formats.json', import.meta.url), 'utf8')) as {
  readonly texts: readonly string[];
  /** By format. */
  readonly accepted: Readonly<Record<string, readonly string[]>>;
  /** By text: the host, its name, the port, the escaped path and the scheme, or the error. */
  readonly urls: Readonly<Record<string, readonly string[] | string>>;
  /** By format and text: what a rule has of it, or the error. */
  readonly values: Readonly<Record<'duration' | 'date-time', Readonly<Record<string, string>>>>;
};
const { texts, accepted, urls, values } = recorded;

const getters = ['getHost', 'getHostname', 'getPort', 'getEscapedPath', 'getScheme'];
/** Each rule fails, and its message is what it got, if that is not empty. */
const getterRules = getters.map((getter) => ({
  rule: `url(self).${getter}() == "none"`,
  messageExpression: `url(self).${getter}()`,
}));

const lists = Object.keys(accepted).map((format) => [format, { type: 'array', items: { type: 'string', format } }]);
const url = { type: 'string', maxLength: 400, 'x-kubernetes-validations': getterRules };
const shown = (format: string) => ({
  type: 'string',
  maxLength: 400,
  format,
  'x-kubernetes-validations': [{ rule: 'string(self) == "none"', messageExpression: 'string(self)' }],
});
const properties = { ...Object.fromEntries(lists), url, shownDuration: shown('duration'), shownTime: shown('date-time') };
await testEnvironment.crd(crdOf(apiVersion.replace('/v1', ''), kind, { spec: { type: 'object', properties } }));

/** What an object is refused for. */
async function causesOf(spec: ResponseBody): Promise<readonly { readonly field: string; readonly message: string }[]> {
  const body = { ...testEnvironment.ref(apiVersion, kind, 'tried'), spec };
  const path = await cluster.path(body);
  const call = cluster.client.call('POST', path.slice(0, path.lastIndexOf('/')), { body, query: { dryRun: 'All' } });
  const error = await call.then(
    () => undefined,
    (thrown: ApiCallError) => thrown,
  );
  return (error?.body.details?.causes ?? []) as readonly { readonly field: string; readonly message: string }[];
}

test.each(Object.entries(accepted))('the format %s', async (format, some) => {
  const refused = (await causesOf({ [format]: texts })).map(({ field }) => texts[Number(/\[(\d+)\]$/.exec(field)?.[1])]);
  expect(texts.filter((text) => !refused.includes(text))).toEqual(some);
});

describe('a URL in a rule', () => {
  test.each(Object.entries(urls))('%j', async (text, parts) => {
    const messages = (await causesOf({ url: text })).map(({ message }) => message);
    const [error] = messages.flatMap((message) => /conversion from string: (.*) evaluating rule/s.exec(message)?.[1] ?? []);
    expect(error ?? messages.map((message) => message.slice(message.lastIndexOf('": ') + 3).replace(/^failed rule: .*/, ''))).toEqual(
      parts,
    );
  });
});

describe.each([
  ['shownDuration', 'duration'],
  ['shownTime', 'date-time'],
] as const)('a rule reads the field %s of the format %s', (field, format) => {
  test.each(Object.entries(values[format]))('%j', async (text, value) => {
    const [{ message } = { message: '' }] = await causesOf({ [field]: text });
    expect(message).toMatch(/^Invalid value: /);
    expect([`${JSON.stringify(text)}: ${value}`, `"string": ${value} evaluating rule: string(self) == "none"`]).toContain(
      message.slice('Invalid value: '.length),
    );
  });
});
