import { expect } from 'vitest';
import type { Declared } from './program-text.js';
import type { Project } from './project.js';
import type { TestEnvironment } from './test-environment.js';

/** Short words of tests whose objects are ConfigMaps of their test environment and whose programs are data. */
export function configMapHelpers(testEnvironment: TestEnvironment) {
  const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
  return {
    ref,
    /** As a program declares it. */
    config: (name: string, data: object = { a: '1' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }),
    /** With the namespace, as requests need it. */
    placed: (name: string, data: object = { a: '1' }) => ({ ...ref(name), data }),
    live: (name: string) => testEnvironment.cluster.get(ref(name)),
    owners: (name: string) => testEnvironment.cluster.owners(ref(name)),
    edit: (project: Project, stacks: Record<string, readonly Declared[]>) => project.write({ 'main.ts': testEnvironment.text(stacks) }),
  };
}

/** A deploy that must succeed. */
export async function deployed(project: Project, ...args: string[]) {
  const report = await project.deploy(args);
  expect(report.exitCode, String(report)).toBe(0);
  return report;
}
