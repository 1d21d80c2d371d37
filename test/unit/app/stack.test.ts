import { App as Cdk8sApp, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { registeredApps } from '../../../src/app/registered-apps.js';
import { App, own, Stack, share } from '../../../src/entry/index.js';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

afterEach(() => vi.unstubAllEnvs());

describe('intents', () => {
  it('have ids that say what they declare, unique below their scope', () => {
    const stack = new Stack(new App({ name: 'shop' }), 'web');
    const ids = [stack.own(configMap('a')), stack.own(configMap('a')), stack.share(configMap('a')), stack.own(configMap(''))];
    expect(ids.map(({ node }) => node.id)).toEqual(['own-ConfigMap-a', 'own-ConfigMap-a-2', 'share-ConfigMap-a', 'own-ConfigMap']);
  });

  it('belong to the construct that declares them', () => {
    const stack = new Stack(new App({ name: 'shop' }), 'web');
    const part = new Construct(stack, 'part');
    expect(own(part, configMap('a')).node.path).toBe('web/part/own-ConfigMap-a');
    expect(share(part, configMap('b')).node.path).toBe('web/part/share-ConfigMap-b');
  });

  it('know where they are declared', () => {
    const stack = new Stack(new App({ name: 'shop' }), 'web');
    expect(stack.own(configMap('a')).source).toMatch(/^test\/unit\/app\/stack\.test\.ts:27:18$/);
  });

  it('keep what was declared when the program goes on to change its literal', () => {
    const stack = new Stack(new App({ name: 'shop' }), 'web');
    const literal = { ...configMap('a'), data: { list: ['a'] } };
    const intent = stack.own(literal);
    literal.data.list.push('b');
    literal.metadata.name = 'b';
    expect(intent.content()).toEqual({ ...configMap('a'), data: { list: ['a'] } });
  });

  it.each([
    ['nothing', undefined, 'called with undefined'],
    ['an array', [configMap('a')], 'called with an array'],
    ['a construct', new Construct(undefined as never, ''), 'called with an object of class Construct'],
    ['text', 'ConfigMap', 'called with a string'],
  ])('are not made of %s', (_, config, reason) => {
    const stack = new Stack(new App({ name: 'shop' }), 'web');
    expect(() => stack.own(config as never)).toThrow(reason);
    expect(() => stack.own(config as never)).toThrow(expect.objectContaining({ code: 'intent-invalid' }));
    expect(stack.node.children).toEqual([]);
  });

  it('need a stack above them', () => {
    const app = new App({ name: 'shop' });
    expect(() => own(app, configMap('a'))).toThrow(expect.objectContaining({ code: 'intent-without-stack' }));
  });

  it('may stand in a plain cdk8s Chart', () => {
    const chart = new Chart(new App({ name: 'shop' }), 'old');
    expect(own(chart, configMap('a')).node.path).toBe('old/own-ConfigMap-a');
  });
});

describe('Stack', () => {
  it('needs an App of ours', () => {
    expect(() => new Stack(new Cdk8sApp(), 'web')).toThrow(expect.objectContaining({ code: 'stack-without-app' }));
  });

  it('refuses a wrong policy and names itself', () => {
    const make = () => new Stack(new App({ name: 'shop' }), 'web', { policy: { conflicts: 'never' } as never });
    expect(make).toThrow(expect.objectContaining({ code: 'policy-invalid', location: expect.objectContaining({ construct: 'shop/web' }) }));
  });

  it('has the namespace it is given, else that of the stack around it, else that of the configuration', () => {
    vi.stubEnv('FIELDWISE_NAMESPACE', 'configured');
    const app = new App({ name: 'shop' });
    const outer = new Stack(app, 'outer', { namespace: 'edge' });
    const namespaces = [
      new Stack(app, 'bare'),
      outer,
      new Stack(new Construct(outer, 'part'), 'inner'),
      new Stack(outer, 'own', { namespace: 'x' }),
    ];
    expect(namespaces.map(({ namespace }) => namespace)).toEqual(['configured', 'edge', 'edge', 'x']);
  });
});

describe('App', () => {
  it('takes from the environment what the program does not say', () => {
    vi.stubEnv('FIELDWISE_APP_NAME', 'configured');
    vi.stubEnv('FIELDWISE_INSTANCE', 'staging');
    vi.stubEnv('FIELDWISE_OUTDIR', 'elsewhere');
    vi.stubEnv('FIELDWISE_CONTEXT', '{"tag":"v1"}');
    const app = new App({ outdir: 'here' });
    expect([app.name, app.instance, app.outdir, app.node.tryGetContext('tag')]).toEqual(['configured', 'staging', 'elsewhere', 'v1']);
    expect(new App({ name: 'shop', instance: 'production' })).toMatchObject({ name: 'shop', instance: 'production' });
  });

  it.each([
    ['FIELDWISE_PRUNE', 'yes'],
    ['FIELDWISE_CONTEXT', '[]'],
    ['FIELDWISE_POLICY', '{'],
  ])('refuses %s=%s', (name, value) => {
    vi.stubEnv(name, value);
    expect(() => new App({ name: 'shop' })).toThrow(expect.objectContaining({ code: 'environment-invalid', location: { file: name } }));
  });

  it.each([{ name: '' }, { name: ' ' }, { name: 1 as never }, { name: 'a', instance: '' }])('refuses %j', (props) => {
    expect(() => new App(props)).toThrow(expect.objectContaining({ code: 'name-invalid' }));
  });

  it('is a cdk8s App, and registers itself', () => {
    const app = new App({ name: 'shop' });
    expect(app).toBeInstanceOf(Cdk8sApp);
    expect(registeredApps()).toContain(app);
  });
});

describe('a stack', () => {
  it.each(['', undefined, 7, 'constructor'])('cannot be named %j', (name) => {
    const app = new App({ name: 'shop' });
    expect(() => new Stack(app, name as string)).toThrow(expect.objectContaining({ code: 'name-invalid', kind: 'usage' }));
    expect(app.node.children).toEqual([]);
  });

  it('with a slash, which would become another name, is refused with that name', () => {
    expect(() => new Stack(new App({ name: 'shop' }), 'My Stack/1')).toThrow(
      expect.objectContaining({ code: 'name-invalid', next: expect.stringContaining('Write "My Stack--1", which is the same stack') }),
    );
    expect(new Stack(new App({ name: 'shop' }), 'My Stack--1').node.id).toBe('My Stack--1');
  });
});
