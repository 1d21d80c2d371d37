import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/app/settings/parse-policy.js';

const place = { construct: 'shop/web' };

describe('parsePolicy', () => {
  it.each([
    [{}, {}],
    [
      { conflicts: 'fail', waitSeconds: 0, ifAbsent: 'create' },
      { conflicts: 'fail', waitSeconds: 0, ifAbsent: 'create' },
    ],
    [{ adopt: undefined, deletePropagation: 'Orphan' }, { deletePropagation: 'Orphan' }],
    [{ fields: { 'spec.replicas': { conflicts: 'yield' } } }, { fields: { '.spec.replicas': { conflicts: 'yield' } } }],
    [
      { conflicts: { yield: ['hpa', 'kube-*'], force: undefined, otherwise: 'force' }, replace: true },
      { conflicts: { yield: ['hpa', 'kube-*'], otherwise: 'force' }, replace: true },
    ],
    [{ fields: { '.spec': { conflicts: 'fail' } } }, { fields: { '.spec': { conflicts: 'fail' } } }],
    [
      { strategy: 'dynamic', listKeys: { 'spec.ports': ['port', 'protocol'], '.spec.args': 'atomic', 'spec.hosts': 'set', a: undefined } },
      { strategy: 'dynamic', listKeys: { '.spec.ports': ['port', 'protocol'], '.spec.args': 'atomic', '.spec.hosts': 'set' } },
    ],
    [{ listKeys: { a: ['name'] } }, { listKeys: { '.a': ['name'] } }],
  ])('%j is read as %j', (given, read) => {
    expect(parsePolicy(given, place)).toEqual(read);
  });

  it.each([
    ['force', undefined, 'it must be an object'],
    [{ conflict: 'force' }, undefined, '`conflict` is unknown'],
    [{ toString: 'force' }, undefined, '`toString` is unknown'],
    [{ conflicts: 'overwrite' }, undefined, '`conflicts` must be one of force, fail, yield'],
    [{ conflicts: { yield: ['a'] } }, undefined, '`conflicts` must have a member `otherwise`'],
    [{ conflicts: { otherwise: 'fail', ignore: ['a'] } }, undefined, '`conflicts` has an unknown member `ignore`'],
    [{ conflicts: { otherwise: 'fail', yield: 'a' } }, undefined, '`conflicts` must have a list of managers in `yield`'],
    [{ conflicts: { otherwise: 'fail', yield: ['a*b'] } }, undefined, '`conflicts` names "a*b", which is not the name of a manager'],
    [{ conflicts: { otherwise: 'fail', yield: ['a'], force: ['a'] } }, undefined, '`conflicts` names a twice'],
    [{ replace: 1 }, undefined, '`replace` must be true or false'],
    [{ retain: true }, 'share', '`retain` applies only to `own`, not to `share`'],
    [{ wait: {} }, undefined, '`wait` must be true, false, or { seconds, unschedulableSeconds, failFast }'],
    [{ wait: { failFast: 1 } }, undefined, '`wait` must be true, false, or'],
    [{ wait: { unschedulableSeconds: -1 } }, undefined, '`wait` must be true, false, or'],
    [{ waitSeconds: -1 }, undefined, '`waitSeconds` must be a number of seconds, 0 or more'],
    [{ waitSeconds: '5' }, undefined, '`waitSeconds` must be a number of seconds'],
    [{ deleteExisting: 'yes' }, undefined, '`deleteExisting` must be true or false'],
    [{ deletePropagation: 'background' }, undefined, '`deletePropagation` must be one of Background'],
    [{ fields: ['spec'] }, undefined, '`fields` must be an object'],
    [{ fields: { '': { conflicts: 'yield' } } }, undefined, 'which is not a field path'],
    [{ fields: { 'spec.replicas': 'yield' } }, undefined, "must be an object such as { conflicts: 'yield' }"],
    [{ fields: { spec: { conflicts: 'no' } } }, undefined, '`fields["spec"].conflicts` must be one of'],
    [{ fields: { spec: { conflicts: 'fail', deleteExisting: true } } }, undefined, '`fields["spec"].deleteExisting` is unknown'],
    [{ fields: { spec: { conflicts: 'fail' }, '.spec': { conflicts: 'yield' } } }, undefined, 'names .spec twice'],
    [{ strategy: 'client-side' }, undefined, '`strategy` must be one of server-side, dynamic'],
    [{ listKeys: ['spec'] }, undefined, '`listKeys` must be an object of field paths'],
    [{ listKeys: { 'spec.ports[port=80].x': ['a'] } }, undefined, 'which is not the path of a list, without keys, such as'],
    [{ listKeys: { '': ['a'] } }, undefined, 'which is not the path of a list, without keys, such as'],
    [{ listKeys: { a: ['b'], '.a': ['b'] } }, undefined, '`listKeys` names .a twice'],
    [{ listKeys: { a: [] } }, undefined, '`listKeys` must map a to names of fields'],
    [{ listKeys: { a: ['b', 'b'] } }, undefined, '`listKeys` must map a to names of fields'],
    [{ listKeys: { a: 'map' } }, undefined, '`listKeys` must map a to names of fields'],
    [{ strategy: 'server-side', listKeys: { a: ['b'] } }, undefined, 'where the schema decides'],
    [{ ifAbsent: 'wait' }, 'own', '`ifAbsent` applies only to `share`, not to `own`'],
    [{ deleteExisting: true }, 'share', '`deleteExisting` applies only to `own`, not to `share`'],
    [{ adopt: true }, 'own', '`adopt` is named `deleteExisting`'],
    [{ ifPresent: 'adopt' }, 'own', "`ifPresent: 'adopt'` is named `ifPresent: 'own'`"],
  ] as const)('%j for %s is refused', (given, lifecycle, reason) => {
    expect(() => parsePolicy(given, place, lifecycle)).toThrow(expect.objectContaining({ code: 'policy-invalid', location: place }));
    expect(() => parsePolicy(given, place, lifecycle)).toThrow(reason);
  });
});
