import { describe, expect, test } from 'vitest';
import { Ground } from '../harness/ground.js';
import { own, share } from '../harness/program-text.js';

const ground = await Ground.fresh('mission');
const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const service = (port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { ports: [{ name: `p${port}`, port, protocol: 'TCP' }] },
});
const ports = async () =>
  (await ground.cluster.get(ground.ref('v1', 'Service', 'web'))).spec.ports.map(({ port }: { port: number }) => port).sort();

describe('Strimzi proposal', () => {
  test('created, nothing to do and patched by apply alone; the first pass unforced, the takeover told', async () => {
    const proxy = await ground.proxy();
    const project = ground.program({ main: [own(config('strimzi', { a: '1' }))] }, { kubeconfig: proxy.kubeconfig });
    expect((await project.deploy()).only().result).toBe('created');
    const live = ground.ref('v1', 'ConfigMap', 'strimzi');
    await ground.cluster.patch('policy-engine', live, { metadata: { annotations: { foreign: 'x' } } });
    await project.deploy();
    expect((await project.deploy()).only().result).toBe('unchanged');
    project.write({ 'main.ts': ground.text({ main: [own(config('strimzi', { a: '2' }))] }) });
    expect((await project.deploy()).only().result).toBe('updated');
    expect([...new Set(proxy.about('strimzi').map(({ method }) => method))]).toEqual(['PATCH']);
    await ground.cluster.apply('them', { ...live, data: { a: '3' } }, { force: true });
    expect((await project.deploy()).only().taken).toMatchObject([{ field: '.data.a', oldValue: '3', newValue: '2', from: 'them' }]);
    expect(proxy.about('strimzi').some(({ method, status }) => method === 'PATCH' && status === 409)).toBe(true);
    expect((await ground.cluster.get(live)).metadata.annotations).toEqual({ foreign: 'x' });
  });
});

describe('Argo CD dynamic field managers', () => {
  test('two stacks on one Service, each with a manager of its own; the one that ends takes only its fields', async () => {
    const long = 'a-stack-whose-name-is-long-'.repeat(5).slice(0, 120);
    await ground.cluster.apply('them', { ...ground.ref('v1', 'Service', 'web'), spec: service(80).spec });
    const project = ground.program({ one: [share(service(81))], [long]: [share(service(82))] });
    expect((await project.deploy()).exitCode).toBe(0);
    const managers = [project.manager('one'), project.manager(long)];
    expect(new Set(managers).size).toBe(2);
    for (const manager of managers) expect(Buffer.byteLength(manager)).toBeLessThanOrEqual(128);
    expect(Object.keys(await ground.cluster.owners(ground.ref('v1', 'Service', 'web')))).toEqual(expect.arrayContaining(managers));
    expect((await project.destroy(['one'])).only().result).toBe('released');
    expect(await ports()).toEqual([80, 82]);
  });
});

describe('Argo CD server-side apply', () => {
  test('a dry run of the server tells the plan, and a conflict under fail changes nothing', async () => {
    await ground.cluster.apply('other', { ...ground.ref('v1', 'ConfigMap', 'argo'), data: { a: 'theirs' } });
    const project = ground.program({ main: [share(config('argo', { a: 'ours' }), { conflicts: 'fail' })] });
    const { events } = await project.run(['diff', '--json']);
    expect(events.find(({ event }) => event === 'plan').source).toBe('server');
    const refused = await project.deploy();
    expect([refused.exitCode, refused.only().result]).toEqual([5, 'conflict']);
    expect((await ground.cluster.get(ground.ref('v1', 'ConfigMap', 'argo'))).data).toEqual({ a: 'theirs' });
  });
});
