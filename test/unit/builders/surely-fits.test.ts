import fc from 'fast-check';
import { expect, test } from 'vitest';
import { $table } from '../../../generated/apps/v1.js';
import { ValueCheck } from '../../../src/builders/check-value.js';
import { surelyFits } from '../../../src/builders/surely-fits.js';
import { rootType } from '../../../src/schema/index.js';
import type { Json, JsonObject } from '../../../src/util/json.js';

const { schema, type } = rootType($table, 'Deployment');

const ports = [
  { containerPort: 80, protocol: 'TCP' },
  { containerPort: 81, name: 'http' },
];
const container = { name: 'a', image: 'i', args: ['x'], ports, resources: { limits: { cpu: '1', memory: 1 } }, env: [{ name: 'A' }] };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' }, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    replicas: 2,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } },
    template: { spec: { containers: [container, { name: 'b' }], tolerations: [{ key: 'k' }] } },
  },
};

test('an object as people write it surely fits', () => {
  expect(surelyFits(schema, deployment, type)).toBe(true);
});

const replacements: readonly Json[] = [
  ...[null, true, 0, 1.5, 2 ** 40, '', 'a', '80', 'TCP', '\ud83d', [], {}, ['a', 'a'], { a: 1 }],
  [{ name: 'a' }, { name: 'a' }],
  [{ containerPort: 80 }, { containerPort: 80 }],
  [{ containerPort: 80, protocol: 'UDP' }, { protocol: 'TCP' }],
  JSON.parse('{"__proto__":1,"constructor":1}'),
];

test('the check of values finds nothing in what surely fits, whatever is changed', () => {
  const change = fc.record({
    at: fc.nat(60),
    name: fc.constantFrom(undefined, 'x', 'name', '\ud83d'),
    value: fc.constantFrom(...replacements),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const changed = structuredClone(deployment) as unknown as JsonObject;
      for (const { at, name, value } of changes) replace(changed, at, name, structuredClone(value));
      const check = new ValueCheck(schema);
      check.check(changed, type);
      if (surelyFits(schema, changed, type)) expect(check.diagnostics).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

/** Replaces the member with a number in the order of a walk, or adds a member beside it. */
function replace(root: JsonObject, number: number, name: string | undefined, value: Json): void {
  const members: [Record<string, Json>, string][] = [];
  const walk = (node: Json | undefined) => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      members.push([node as Record<string, Json>, key]);
      walk((node as JsonObject)[key]);
    }
  };
  walk(root);
  const [parent, key] = members[number % members.length] as [Record<string, Json>, string];
  if (name === undefined || Array.isArray(parent)) parent[key] = value;
  else parent[name] = value;
}
