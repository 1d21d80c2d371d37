import { describe, expect, test } from 'vitest';
import { formatPath } from '../../../src/fields/index.js';
import { blockingUnionMembers } from '../../../src/ownership/index.js';
import type { JsonObject } from '../../../src/util/json.js';

const entry = (manager: string, fieldsV1: object) => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const volumes = { 'f:spec': { 'f:volumes': { 'k:{"name":"a"}': { '.': {}, 'f:name': {} }, 'k:{"name":"b"}': { '.': {}, 'f:name': {} } } } };
const live = (spec: object, ...managedFields: object[]): JsonObject =>
  ({ metadata: { name: 'x', managedFields }, spec }) as unknown as JsonObject;
const intent = (spec: object): JsonObject => ({ metadata: { name: 'x' }, spec }) as unknown as JsonObject;
const found = (causes: [field: string, message: string][], there: JsonObject, wanted: JsonObject) =>
  blockingUnionMembers(
    causes.map(([field, message]) => ({ field, message })),
    there,
    wanted,
  )?.map(formatPath);

const moreThanOne = 'Forbidden: may not specify more than 1 volume type';

describe('what stands in the way of an intent', () => {
  test('is the refused field itself, where only the live object has it', () => {
    const there = live({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } });
    const refusal: [string, string][] = [
      ['spec.strategy.rollingUpdate', "Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ];
    expect(found(refusal, there, intent({ strategy: { type: 'Recreate' } }))).toEqual(['.spec.strategy.rollingUpdate']);
    // What the intent declares is the intent's own fault.
    expect(found(refusal, there, intent({ strategy: { type: 'Recreate', rollingUpdate: {} } }))).toBeUndefined();
  });

  test('is the one map beside the member that the intent declares, in the same item wherever it stands', () => {
    const there = live(
      {
        volumes: [
          { name: 'b', emptyDir: {} },
          { name: 'a', secret: { secretName: 's' } },
        ],
      },
      entry('m', volumes),
    );
    const wanted = intent({
      volumes: [
        { name: 'new', nfs: {} },
        { name: 'a', secret: { secretName: 's' } },
        { name: 'b', configMap: { name: 'x' } },
      ],
    });
    expect(found([['spec.volumes[2].configMap', moreThanOne]], there, wanted)).toEqual(['.spec.volumes[name="b"].emptyDir']);
    // The server misspells two of its fields.
    const api = intent({ volumes: [{ name: 'b', downwardAPI: {} }] });
    expect(found([['spec.volumes[0].downwarAPI', moreThanOne]], there, api)).toEqual(['.spec.volumes[name="b"].emptyDir']);
  });

  test('is what the message names, also where it is no map', () => {
    const there = live({ env: { value: 'x', other: 'y' } });
    const message = 'Invalid value: "": may not be specified when `value` is not empty';
    expect(found([['spec.env.valueFrom', message]], there, intent({ env: { valueFrom: {} } }))).toEqual(['.spec.env.value']);
  });

  test.each<[string, [string, string][], JsonObject, JsonObject]>([
    ['of two maps beside it nobody can tell which', [['spec.a', 'more than 1']], live({ b: {}, c: {} }), intent({ a: {} })],
    [
      'a value that is simply wrong',
      [['spec.replicas', 'Invalid value: -1: must be greater than or equal to 0']],
      live({ replicas: 1, strategy: {} }),
      intent({ replicas: -1 }),
    ],
    [
      'one of the causes is another',
      [
        ['spec.a', 'Forbidden'],
        ['spec.b', 'Required value'],
      ],
      live({ a: {} }),
      intent({ b: 1 }),
    ],
    ['an item of a list without keys', [['spec.rules[0].a', moreThanOne]], live({ rules: [{ b: {} }] }), intent({ rules: [{ a: {} }] })],
    ['no cause at all', [], live({ a: {} }), intent({ b: {} })],
    ['a path through a key of a map with dots', [['metadata.labels.example.com/x', 'Forbidden']], live({}), intent({})],
  ])('is nothing where it is %s', (_, causes, there, wanted) => {
    expect(found(causes, there, wanted)).toBeUndefined();
  });
});
