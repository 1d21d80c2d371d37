import { describe, expect, test } from 'vitest';
import { identityKey, objectText } from '../../../../src/assembly/identity.js';
import type { IntentManifest, PartialObject, StackManifest } from '../../../../src/assembly/types.js';
import { dependsOn } from '../../../../src/engine/graph/depends-on.js';
import { type Step, wavesOf } from '../../../../src/engine/graph/waves.js';

type Declared = { kind: string; name: string; apiVersion?: string; namespace?: string; share?: true; after?: number[]; spec?: object };

function stepsFrom(stacks: Record<string, { after?: string[]; intents: Declared[]; groups?: number[][] }>): Step[] {
  return Object.entries(stacks).flatMap(([name, { after, intents, groups }]) => {
    const stack = { name, dependsOn: after ?? [], intents: [] as IntentManifest[], groups } as unknown as StackManifest;
    return intents.map((declared, index) => {
      const { kind, apiVersion = 'v1', namespace } = declared;
      const intent = {
        apiVersion,
        kind,
        ...(namespace === undefined ? {} : { namespace }),
        name: declared.name,
        lifecycle: declared.share ? 'share' : 'own',
        dependsOn: declared.after ?? [],
      } as unknown as IntentManifest;
      const object = { apiVersion, kind, metadata: { name: declared.name }, spec: declared.spec } as unknown as PartialObject;
      return { stack, index, intent, object, digest: '', key: identityKey(intent) };
    });
  });
}

const names = (steps: Step[]) => wavesOf(steps).map((wave) => wave.map((step) => objectText(step.intent)).sort());
const webhook = 'admissionregistration.k8s.io/v1';

describe('waves', () => {
  test('by kind within a stack: namespaces first, webhooks last', () => {
    const steps = stepsFrom({
      a: {
        intents: [
          { kind: 'ValidatingWebhookConfiguration', apiVersion: webhook, name: 'w' },
          { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' },
          { kind: 'ConfigMap', name: 'c' },
          { kind: 'Namespace', name: 'n' },
        ],
      },
    });
    expect(names(steps)).toEqual([['Namespace n'], ['ConfigMap c'], ['Deployment d'], ['ValidatingWebhookConfiguration w']]);
  });

  test('a declared dependency goes before the order of kinds, directly, through others and through a group', () => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const role = { kind: 'RoleBinding', apiVersion: rbac, name: 'may-write' };
    const direct = stepsFrom({
      a: { intents: [role, { kind: 'ConfigMap', name: 'early' }, { kind: 'ConfigMap', name: 'late', after: [0] }] },
    });
    expect(names(direct)).toEqual([['ConfigMap early'], ['RoleBinding may-write'], ['ConfigMap late']]);
    const chain = stepsFrom({
      a: {
        intents: [
          { kind: 'Deployment', apiVersion: 'apps/v1', name: 'first' },
          { kind: 'ConfigMap', name: 'second', after: [0] },
          { kind: 'ConfigMap', name: 'third', after: [1] },
          { kind: 'Deployment', apiVersion: 'apps/v1', name: 'fourth', after: [2] },
        ],
      },
    });
    expect(names(chain)).toEqual([['Deployment first'], ['ConfigMap second'], ['ConfigMap third'], ['Deployment fourth']]);
    const grouped = stepsFrom({
      a: {
        groups: [[0, 1]],
        intents: [
          { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' },
          { kind: 'Service', name: 's' },
          { kind: 'Namespace', name: 'n', after: [4] },
          { kind: 'ConfigMap', name: 'in-n', namespace: 'n' },
        ],
      },
    });
    expect(names(grouped)).toEqual([['Service s'], ['Deployment d'], ['Namespace n'], ['ConfigMap n/in-n']]);
  });

  test('independent objects share a wave: bindings after roles, tokens after ServiceAccounts, workloads after the objects that they use', () => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const steps = stepsFrom({
      a: {
        intents: [
          { kind: 'Deployment', apiVersion: 'apps/v1', name: 'd' },
          { kind: 'Secret', name: 'x' },
          { kind: 'RoleBinding', apiVersion: rbac, name: 'b' },
          { kind: 'Service', name: 's' },
          { kind: 'ConfigMap', name: 'c' },
          { kind: 'ServiceAccount', name: 'a' },
          { kind: 'Role', apiVersion: rbac, name: 'r' },
          { kind: 'ResourceQuota', name: 'q' },
        ],
      },
    });
    expect(names(steps)).toEqual([
      ['ResourceQuota q'],
      ['ConfigMap c', 'Role r', 'Service s', 'ServiceAccount a'],
      ['RoleBinding b', 'Secret x'],
      ['Deployment d'],
    ]);
  });

  test('objects of independent stacks share a wave', () => {
    const steps = stepsFrom({ a: { intents: [{ kind: 'ConfigMap', name: 'a' }] }, b: { intents: [{ kind: 'ConfigMap', name: 'b' }] } });
    expect(names(steps)).toEqual([['ConfigMap a', 'ConfigMap b']]);
  });

  test('a stack after the stack that it depends on', () => {
    const steps = stepsFrom({
      a: { intents: [{ kind: 'Deployment', apiVersion: 'apps/v1', name: 'a' }] },
      b: { after: ['a'], intents: [{ kind: 'Namespace', name: 'b' }] },
    });
    expect(names(steps)).toEqual([['Deployment a'], ['Namespace b']]);
  });

  test('an intent after all of the groups that it depends on', () => {
    const config = (name: string, after: number[] = []) => ({ kind: 'ConfigMap', name, after });
    const steps = stepsFrom({ a: { intents: [config('a'), config('b', [0]), config('c', [4]), config('d')], groups: [[0, 1]] } });
    expect(names(steps)).toEqual([['ConfigMap a', 'ConfigMap d'], ['ConfigMap b'], ['ConfigMap c']]);
    const { stack } = steps[0] as Step;
    const manifest = { ...stack, intents: steps.map(({ intent }) => intent) };
    expect([0, 1, 3].map((other) => dependsOn(manifest, 2, other))).toEqual([true, true, false]);
  });

  test('an intent after the intents that it depends on', () => {
    const steps = stepsFrom({
      a: {
        intents: [
          { kind: 'ConfigMap', name: 'late', after: [1] },
          { kind: 'ConfigMap', name: 'early' },
        ],
      },
    });
    expect(names(steps)).toEqual([['ConfigMap early'], ['ConfigMap late']]);
  });

  test('a share after the intent that owns its object, whatever the order of stacks', () => {
    const steps = stepsFrom({
      review: { intents: [{ kind: 'Gateway', apiVersion: 'e/v1', name: 'g', share: true }] },
      gateway: { intents: [{ kind: 'Gateway', apiVersion: 'e/v1', name: 'g' }] },
    });
    expect(wavesOf(steps).map((wave) => wave.map((step) => step.stack.name))).toEqual([['gateway'], ['review']]);
  });

  test('an object after its Namespace and the CustomResourceDefinition of its kind, across stacks', () => {
    const crd = { group: 'e.io', names: { kind: 'Thing' } };
    const steps = stepsFrom({
      use: { intents: [{ kind: 'Thing', apiVersion: 'e.io/v1', name: 't', namespace: 'n' }] },
      base: {
        intents: [
          { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1', name: 'things.e.io', spec: crd },
          { kind: 'Namespace', name: 'n' },
        ],
      },
    });
    expect(names(steps)).toEqual([['Namespace n'], ['CustomResourceDefinition things.e.io'], ['Thing n/t']]);
  });

  test('a cycle is an error that names it', () => {
    const steps = stepsFrom({
      a: { after: ['b'], intents: [{ kind: 'ConfigMap', name: 'a' }] },
      b: { after: ['a'], intents: [{ kind: 'ConfigMap', name: 'b' }] },
    });
    expect(() => wavesOf(steps)).toThrow(/ConfigMap a \(stack a\).*ConfigMap b \(stack b\)/);
  });

  test('a chain of ten thousand objects', () => {
    const intents = Array.from({ length: 10_000 }, (_, index) => ({
      kind: 'ConfigMap',
      name: `c${index}`,
      after: index > 0 ? [index - 1] : [],
    }));
    expect(wavesOf(stepsFrom({ a: { intents } }))).toHaveLength(10_000);
  });
});
