import { expect } from 'vitest';
import type { Ground } from './ground.js';
import type { Declared } from './program-text.js';
import type { Project } from './project.js';

/** Short words of tests whose objects are ConfigMaps of their ground and whose programs are data. */
export function configMapsOn(ground: Ground) {
  const ref = (name: string) => ground.ref('v1', 'ConfigMap', name);
  return {
    ref,
    config: (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }),
    live: (name: string) => ground.cluster.get(ref(name)),
    owners: (name: string) => ground.cluster.owners(ref(name)),
    edit: (project: Project, stacks: Record<string, readonly Declared[]>) => project.write({ 'main.ts': ground.text(stacks) }),
  };
}

/** A deploy that must succeed. */
export async function deployed(project: Project, ...args: string[]) {
  const report = await project.deploy(args);
  expect(report.exitCode, String(report)).toBe(0);
  return report;
}
