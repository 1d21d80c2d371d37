import { describe, expect, it } from 'vitest';
import { service } from '../../../generated/core/v1.js';
import { clusterRole } from '../../../generated/rbac/v1.js';
import { type App, Stack } from '../../../src/index.js';
import { atomicGateway, crdBuilder, crdOf, sharedGateway } from './fixtures/crd-builder.js';
import { synthesized } from './fixtures/synthesized.js';

const stack = (app: App, name: string) => new Stack(app, name, { namespace: 'edge' });
const listeners = (port: number) => ({ spec: { listeners: [{ port, services: [{ name: 'web' }] }] } });

describe('atomic-list-shared', () => {
  it('says what a share of an atomic list does, and which change of the CRD cures it', () => {
    const { warnings } = synthesized((app) => stack(app, 'review-1').share(atomicGateway('public', listeners(443))));
    expect(warnings('atomic-list-shared')).toEqual([
      {
        code: 'atomic-list-shared',
        message:
          "AtomicGateway edge/public shares .spec.listeners, and this list is atomic: applying it replaces the whole list, another stack's entries included. " +
          'The cure is in the CRD, below versions[name=v1].schema.openAPIV3Schema: ' +
          '`x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys: [port]` at properties.spec.properties.listeners (its items must require port first, or default it), and ' +
          '`x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys: [name]` at properties.spec.properties.listeners.items.properties.services.',
        stack: 'review-1',
        object: 'AtomicGateway edge/public',
        field: '.spec.listeners',
        construct: 'shop/review-1/share-AtomicGateway-public',
        source: expect.stringMatching(/^test\/unit\/synth\/lint\.test\.ts:13:\d+$/),
      },
    ]);
  });

  it('says of a built-in list that it cannot be shared', () => {
    const { warnings } = synthesized((app) => stack(app, 'review-1').share(clusterRole('reader').set('rules', [{ verbs: ['get'] }])));
    expect(warnings('atomic-list-shared').map(({ message }) => message)).toEqual([
      expect.stringContaining('It is built into Kubernetes and cannot be shared'),
    ]);
  });

  const text = { type: 'string' };
  it.each([
    [['name'], { name: text, value: text }, ['name', 'value']],
    [['from', 'to'], { from: text, to: text, note: text }, ['to', 'from']],
    [['key'], { key: text, name: { type: 'object' } }, []],
    [['<fields that tell items apart>'], { note: text, from: { type: 'object' } }, ['from']],
  ])('guesses the keys [%s]', (keys, properties, required) => {
    const gateway = crdBuilder(
      crdOf('Gateway', { type: 'object', properties: { items: { type: 'array', items: { type: 'object', properties, required } } } }),
    );
    const { warnings } = synthesized((app) => stack(app, 'a').share(gateway('x', { spec: { items: [{}] } })));
    expect(warnings('atomic-list-shared')[0]?.message).toContain(`x-kubernetes-list-map-keys: [${keys.join(', ')}]`);
  });

  it.each([
    ['keyed lists', (app: App) => stack(app, 'a').share(sharedGateway('x', listeners(80)))],
    ['atomic lists of scalars', (app: App) => stack(app, 'a').share(atomicGateway('x', { spec: { args: ['a'] } }))],
    ['what is owned', (app: App) => stack(app, 'a').own(atomicGateway('x', listeners(80)))],
    [
      'literals of unknown types',
      (app: App) => stack(app, 'a').share({ apiVersion: 'e.example.com/v1', kind: 'X', metadata: { name: 'x' }, spec: { a: [{}] } }),
    ],
  ])('is silent about %s', (_, declare) => {
    expect(synthesized(declare).manifest.warnings).toEqual([]);
  });
});

describe('atomic-list-contested', () => {
  it('names two stacks that declare one atomic list or map', () => {
    const { warnings } = synthesized((app) => {
      stack(app, 'base').own(service('web').withSpec({ selector: { app: 'web' }, ports: [{ name: 'a', port: 80 }] }));
      stack(app, 'other').share(service('web').withSpec({ selector: { app: 'other' }, ports: [{ name: 'b', port: 81 }] }));
      stack(app, 'third').own(service('another').withSpec({ selector: { app: 'other' } }));
    });
    expect(warnings('atomic-list-contested').map(({ message, stack: name, field }) => [message, name, field])).toEqual([
      [
        expect.stringContaining('Stacks base and other each declare .spec.selector of Service edge/web, and this map is atomic'),
        'other',
        '.spec.selector',
      ],
    ]);
  });

  it('is one warning however many stacks there are', () => {
    const { warnings } = synthesized((app) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) stack(app, name).share(service('web').withSpec({ selector: { app: name } }));
    });
    expect(warnings('atomic-list-contested').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Stacks a, b, c and 2 more each declare \.spec\.selector of Service edge\/web,/),
    ]);
  });

  it('knows literals by the builder of another stack', () => {
    const { warnings } = synthesized((app) => {
      stack(app, 'base').own(atomicGateway('x', { spec: { args: ['a'] } }));
      stack(app, 'other').share({
        apiVersion: 'edge.example.com/v1',
        kind: 'AtomicGateway',
        metadata: { name: 'x' },
        spec: { args: ['b'] },
      });
    });
    expect(warnings('atomic-list-contested')).toHaveLength(1);
  });
});
