import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseBody } from '../harness/api-client.js';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import type { ProxiedRequest } from '../harness/interception-proxy.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('lying-owners');
const { placed } = configMapHelpers(testEnvironment);

const sound = { manager: 'old', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } };
const without = (name: keyof typeof sound) => Object.fromEntries(Object.entries(sound).filter(([member]) => member !== name));

/** Entries that no API server writes, and what is said of them. */
const entries: Readonly<Record<string, readonly [entry: unknown, says: string]>> = {
  'no apiVersion': [without('apiVersion'), '(manager "old") has no apiVersion'],
  'an empty apiVersion': [{ ...sound, apiVersion: '' }, '(manager "old") has no apiVersion'],
  'an apiVersion that is a path': [{ ...sound, apiVersion: '../../version' }, '(manager "old") has an invalid apiVersion'],
  'an apiVersion that is a list': [{ ...sound, apiVersion: ['v1'] }, '(manager "old") has an invalid apiVersion'],
  'no fieldsV1': [without('fieldsV1'), '(manager "old") has no fieldsV1'],
  'fieldsV1 that is a text': [{ ...sound, fieldsV1: 'f:data' }, '(manager "old") has unreadable fieldsV1'],
  'fieldsV1 of rubbish': [{ ...sound, fieldsV1: { 'k:{': {}, data: {}, 'f:data': 7 } }, '(manager "old") has unreadable fieldsV1'],
  'no operation': [without('operation'), '(manager "old") has no known operation'],
  'a manager that is an object': [{ ...sound, manager: {} }, 'has a manager that is not a string'],
  'a subresource that is a number': [{ ...sound, subresource: 7 }, '(manager "old") has a subresource that is not a string'],
  'nothing in it, beside others': [{}, 'has no known operation'],
  'the value null': [null, 'is not an object'],
  'a number': [7, 'is not an object'],
};

/** Commands that read owners; `patches` those that would write managedFields. */
const commands: readonly { readonly words: readonly string[]; readonly patches?: boolean }[] = [
  { words: ['deploy', '-a', 'dist'] },
  { words: ['diff', '-a', 'dist'] },
  { words: ['diff', '--read-only', '-a', 'dist'] },
  { words: ['status', '-a', 'dist'] },
  { words: ['drift', '-a', 'dist'] },
  { words: ['owners', 'configmap/mine'] },
  { words: ['doctor', '--objects'] },
  { words: ['doctor', '--find-orphans', '-a', 'dist'] },
  { words: ['snapshot', '-a', 'dist'] },
  { words: ['adopt', '--stale', '--yes', '-a', 'dist'] },
  { words: ['adopt', '--yes', '-a', 'dist'], patches: true },
];

let project: Project;
beforeAll(async () => {
  await testEnvironment.cluster.create('kubectl-create', placed('theirs'));
  project = testEnvironment.program({ one: [own(placed('mine')), share(placed('theirs'))] });
  expect((await project.run(['deploy', '--yes'])).exitCode).toBe(0);
});

async function against(words: readonly string[], entry: unknown) {
  const proxy = await testEnvironment.proxy();
  proxy.onResponse = ({ path }: ProxiedRequest, { body }) => {
    const isOne = body?.kind === 'ConfigMap' || body?.kind === 'PartialObjectMetadata';
    const isMany = path.endsWith('/configmaps') && Array.isArray(body?.items);
    if (!isOne && !isMany) return undefined;
    const spoiled = (object: ResponseBody) => {
      const { metadata } = object;
      return ['mine', 'theirs'].includes(metadata.name)
        ? { ...object, metadata: { ...metadata, managedFields: [...(metadata.managedFields ?? []), entry] } }
        : object;
    };
    return { body: isOne ? spoiled(body) : { ...body, items: body.items.map(spoiled) } };
  };
  return project.run(words, { kubeconfig: proxy.kubeconfig });
}

describe.each(Object.entries(entries))('an entry of managedFields with %s', (_, [entry, says]) => {
  test('reading goes on, and what would write owners names object and entry', async () => {
    const before = await Promise.all(['mine', 'theirs'].map((name) => testEnvironment.cluster.get(placed(name))));
    for (const { words, patches = false } of commands) {
      const { exitCode, stdout, stderr } = await against(words, entry);
      const text = `${words.join(' ')}\n${stdout}${stderr}`;
      expect.soft(text).not.toMatch(/defect of Fieldwise|Unexpected:|\[internal\]|\n {4}at |TypeError|GET \/api|\[object Object\]/);
      expect.soft(exitCode, text).toBe(patches ? 4 : 0);
      if (!patches) continue;
      expect.soft(text).toContain('[managed-fields-unreadable]');
      expect.soft(text).toContain(`metadata.managedFields of ConfigMap ${testEnvironment.namespace}/theirs cannot be read: entry`);
      expect.soft(text).toContain(says);
    }
    expect(await Promise.all(['mine', 'theirs'].map((name) => testEnvironment.cluster.get(placed(name))))).toEqual(before);
  });
});

test('an owned object with such an entry is not deleted: it may be the entry of somebody who applies to it', async () => {
  const { exitCode, stdout, stderr } = await against(['destroy', '--yes', '-o', 'json', '-a', 'dist'], without('operation'));
  const text = `${stdout}${stderr}`;
  expect(exitCode, text).toBe(0);
  expect(text).toContain('somebody (managedFields entry');
  expect(await testEnvironment.cluster.find(placed('mine'))).toBeDefined();
});
