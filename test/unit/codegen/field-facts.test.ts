import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dependentDefaults, fixedDefaults } from '../../../codegen/facts/defaults.js';

const generated = fileURLToPath(new URL('../../../generated', import.meta.url));
const modules = new Map(
  readdirSync(generated, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path.replaceAll('\\', '/').replace(/\.ts$/, ''), readFileSync(`${generated}/${path}`, 'utf8')]),
);
const page = 'https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/';

/** The comment above a line of an interface, without its link. */
function commentOf(module: string, shape: string, member: string): string | undefined {
  const body = new RegExp(`^export interface ${shape} [^]*?^}`, 'm').exec(modules.get(module) as string)?.[0] ?? '';
  const found = new RegExp(`^  /\\*\\* ([^\\n]*) \\*/\\n  readonly ${member}[?]`, 'm').exec(body)?.[1];
  return found?.replace(/ \[Reference\]\(.*\)$/, '');
}

const granular = 'each field has owners of its own.';
const atomic = 'one owner, replaced as a whole.';

test.each([
  ['apps/v1', 'DeploymentSpec', 'replicas', 'Integer (int32). Default: `1`.'],
  ['apps/v1', 'DeploymentSpec', 'selector', `Object. Atomic: ${atomic} Required. Immutable once the Deployment exists.`],
  ['apps/v1', 'DeploymentSpec', 'template', `Object: ${granular} Required.`],
  ['apps/v1', 'RollingUpdateDeployment', 'maxSurge', 'Integer or string. Default: `25%`.'],
  ['batch/v1', 'JobSpec', 'completionMode', 'One of `Indexed`, `NonIndexed`. Default: `NonIndexed`. Immutable once the Job exists.'],
  ['batch/v1', 'JobTemplateSpec', 'spec', `Object: ${granular}`],
  ['core/v1', 'Container', 'args', `Atomic list: ${atomic}`],
  ['core/v1', 'Container', 'ports', 'List keyed by containerPort + protocol: each item has owners of its own.'],
  ['core/v1', 'ContainerPort', 'protocol', 'One of `SCTP`, `TCP`, `UDP`. Default: `TCP`.'],
  ['core/v1', 'NodeSpec', 'providerID', 'String. Immutable once set.'],
  ['core/v1', 'PodSpec', 'nodeSelector', `Map. Atomic: ${atomic}`],
  ['core/v1', 'ResourceRequirements', 'limits', 'Map: each entry has owners of its own.'],
  ['core/v1', 'Secret', 'data', 'Map: each entry has owners of its own. Immutable while `immutable` is true.'],
  ['meta/v1', 'ObjectMeta', 'finalizers', 'Set: each value has owners of its own.'],
])('%s %s.%s', (module, type, field, comment) => {
  expect(commentOf(module, `${type}Apply`, field)).toBe(comment);
});

test('every field has a comment with a link to its type in the reference', () => {
  for (const [module, text] of modules) {
    const lines = text.split('\n');
    const members = lines.flatMap((line, index) => (/^ {2}readonly (?!apiVersion\?: "|kind\?: ")/.test(line) ? [index] : []));
    expect(members.length, module).toBeGreaterThan(4);
    const bare = members.filter((index) => !/\[Reference\]\(https:\/\/[\w./-]+#[a-z0-9-]+\) \*\/$/.test(lines[index - 1] ?? ''));
    expect(bare.map((index) => lines[index])).toEqual([]);
  }
});

test.each([
  ['apps/v1', 'deploymentspec-v1-apps'],
  ['core/v1', 'podspec-v1-core'],
  ['meta/v1', 'objectmeta-v1-meta'],
  ['rbac/v1', 'policyrule-v1-rbac-authorization-k8s-io'],
  ['networking/v1', 'ingress-v1-networking-k8s-io'],
  ['flowcontrol/v1', 'prioritylevelconfiguration-v1-flowcontrol-apiserver-k8s-io'],
  ['autoscaling/v2', 'metricspec-v2-autoscaling'],
  ['apps/v1', 'deploymentstatus-v1-apps'],
])('%s links to %s', (module, anchor) => {
  expect(modules.get(module)).toContain(`(${page}#${anchor})`);
});

test('no link is to a name of ours, and no recorded default is of a type or field that is not there', () => {
  for (const [module, text] of modules) expect(text, module).not.toMatch(/#\w+statusfields-/);
  for (const table of [fixedDefaults, dependentDefaults]) {
    for (const [type, fields] of Object.entries(table)) {
      const [module = '', base = ''] = type.split('.');
      for (const field of Object.keys(fields)) expect(commentOf(module, `${base}Apply`, field), `${type}.${field}`).toContain('Default: ');
    }
  }
});
