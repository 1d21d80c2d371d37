import { beforeAll, expect, test } from 'vitest';
import { ref } from '../harness/cluster.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import type { Project } from '../harness/project.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('plan-reconcile');
const { cluster, namespace } = testEnvironment;
const proxy = await testEnvironment.proxy();

const config = (name: string, data: object) => ({ ...ref('v1', 'ConfigMap', name, namespace), data });
const service = (name: string, ports: readonly object[]) => ({
  ...ref('v1', 'Service', name, namespace),
  spec: { selector: { app: name }, ports },
});
const ports = [
  { name: 'http', port: 80, protocol: 'TCP' },
  { name: 'metrics', port: 9090, protocol: 'TCP' },
];
const names = Array.from({ length: 20 }, (_, index) => `c-${String(index).padStart(2, '0')}`);
const services = ['s-1', 's-2', 's-3', 's-4'];

const declared = (data: (name: string) => object = () => ({ a: '1', b: '2' })) => ({
  one: [...names.map((name) => own(config(name, data(name)))), ...services.map((name) => own(service(name, ports)))],
  two: names.slice(0, 5).map((name) => share(config(name, { a: '1', theirs: 'x' }))),
});

let project: Project;

beforeAll(async () => {
  project = testEnvironment.program(declared());
  for (let run = 0; run < 2; run++) {
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
  }
  // Others write between the deploys: a value, a list, an owner, a deletion, a label.
  await cluster.patch('them', config('c-05', {}), { data: { a: '9' } });
  await cluster.patch('them', service('s-1', []), { spec: { ports: [...ports].reverse() } });
  await cluster.apply('them', config('c-06', { a: '1' }));
  await cluster.remove(config('c-07', {}));
  await cluster.patch('them', config('c-08', {}), { metadata: { labels: { seen: 'yes' } } });
});

/** The plan, and the names of the objects of which a dry run was sent. */
async function planned(flags: readonly string[]) {
  proxy.requests.length = 0;
  const { events, exitCode, stderr } = await project.run(['diff', '-o', 'json', ...flags], { kubeconfig: proxy.kubeconfig });
  expect(exitCode, stderr).toBe(0);
  const dryRuns = proxy.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.split('/').at(-1)?.split('?')[0]);
  return { plans: eventsOf(events, 'plan'), summary: eventsOf(events, 'summary'), dryRuns: [...new Set(dryRuns)].sort() };
}

test.each(['auto', 'changed'])(
  'a plan with reconcile %s is that of dry runs, and sends them only where something may change',
  async (mode) => {
    project.write({ 'main.ts': testEnvironment.text(declared((name) => ({ a: name === 'c-09' ? '7' : '1', b: '2' }))) });
    const full = await planned(['--reconcile', 'full']);
    const proved = await planned(['--reconcile', mode]);
    expect(proved.plans).toEqual(full.plans);
    expect(proved.summary).toEqual(full.summary);
    expect(full.dryRuns).toEqual([...names, ...services].sort());
    expect(proved.dryRuns).toEqual(['c-05', 'c-07', 'c-09', 's-1']);
    expect(full.plans.filter(({ action }) => action !== 'unchanged').map(({ name }) => name)).toEqual(['c-05', 'c-07', 'c-09', 's-1']);
  },
);
