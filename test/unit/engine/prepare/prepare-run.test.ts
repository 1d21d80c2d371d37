import { expect, test } from 'vitest';
import { prepareRun } from '../../../../src/engine/prepare/prepare-run.js';
import type { ClusterClient } from '../../../../src/kubernetes/index.js';
import { configMap, program, removeProgramsAfterAll } from '../../deploy/run-fixture.js';

removeProgramsAfterAll();

const silent = new Proxy({} as ClusterClient, { get: (_, name) => () => Promise.reject(new Error(`${String(name)} was called`)) });

test('a run is frozen, has the chosen stacks and their steps, and sends nothing', async () => {
  const assembly = await program(configMap('a', { x: '1' }), configMap('b', { x: '1' }));
  const run = prepareRun(assembly, silent, { stacks: ['web'] });
  expect(Object.isFrozen(run)).toBe(true);
  expect(run.stacks.map(({ name }) => name)).toEqual(['web']);
  expect(run.declared.map(({ intent }) => intent.name)).toEqual(['a', 'b']);
});

test('an unknown stack is refused', async () => {
  const assembly = await program(configMap('a', { x: '1' }));
  expect(() => prepareRun(assembly, silent, { stacks: ['other'] })).toThrow('declares no stack other');
});

test('each warning is reported once', async () => {
  const warnings: string[] = [];
  const run = prepareRun(await program(configMap('a', { x: '1' })), silent, {}, ({ message }) => warnings.push(message));
  const warning = { event: 'warning', code: 'lock-lost', message: 'careful' } as never;
  run.onWarning(warning);
  run.onWarning(warning);
  expect(warnings).toEqual(['careful']);
});

test('values of Secrets are masked in what the run says', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'correct horse battery' } };
  const { secrets } = prepareRun(await program(secret), silent, {});
  expect(secrets.maskError({ code: 'internal-error', message: 'not correct horse battery!' } as never).message).toBe('not ***!');
});
