import { describe, expect, it } from 'vitest';
import { type App, Stack } from '../../../src/entry/index.js';
import { type RootType, readCrd } from '../../../src/schema/index.js';
import { crdBuilder, crdOf } from './fixtures/crd-builder.js';
import { synthError, synthesized } from './fixtures/synthesized.js';

const list = (type: object) => ({
  type: 'object',
  properties: {
    class: { type: 'string' },
    listeners: { type: 'array', ...type, items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } } },
  },
});
const author = crdOf('Gateway', list({}));
const patched = crdOf('Gateway', list({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port'] }));
const gateway = crdBuilder(patched, (root: RootType) => ({ ...root, overlaid: ['.spec.listeners'] }));

const share = (app: App) => {
  const stack = new Stack(app, 'review', { namespace: 'edge' });
  stack.share(gateway('public', { spec: { listeners: [{ port: 443 }] } }));
  return stack;
};

const marked = (app: App, names: unknown) => {
  app.node.setContext('deployedListTypes', names);
  return app;
};

describe('a share of a list whose list type was laid over the CRD', () => {
  it('is refused', () => {
    expect(readCrd(patched).roots).toHaveLength(1);
    expect(synthError((app) => void share(app))).toMatchObject({
      code: 'list-type-not-deployed',
      location: { construct: 'shop/review/share-Gateway-public', object: 'Gateway edge/public', field: '.spec.listeners' },
      next: expect.stringContaining('set the context value deployedListTypes to gateways.edge.example.com'),
    });
  });

  it.each([
    ['with the patched CRD in the same stack', (app: App) => share(app).own(patched)],
    [
      'with the patched CRD in a stack before it',
      (app: App) => {
        const crds = new Stack(app, 'crds');
        crds.own(patched);
        const between = new Stack(app, 'between');
        between.addDependency(crds);
        share(app).addDependency(between);
      },
    ],
    ['where the context says that it is deployed', (app: App) => share(marked(app, true))],
    ['where the context names the CRD', (app: App) => share(marked(app, ['x.example.com', 'gateways.edge.example.com']))],
    ['where a flag names the CRD', (app: App) => share(marked(app, 'x.example.com,gateways.edge.example.com'))],
    [
      'when it does not declare the list',
      (app: App) => new Stack(app, 'review', { namespace: 'edge' }).share(gateway('public', { spec: { class: 'x' } })),
    ],
    [
      'when it is owned',
      (app: App) => new Stack(app, 'review', { namespace: 'edge' }).own(gateway('public', { spec: { listeners: [{ port: 443 }] } })),
    ],
  ])('passes %s', (_, declare) => {
    expect(synthesized((app) => void declare(app)).manifest.stacks.length).toBeGreaterThan(0);
  });

  it('is refused when the CRD comes without an order, as its author wrote it, or under another name in the context', () => {
    expect(
      synthError((app) => {
        new Stack(app, 'crds').own(patched);
        share(app);
      }),
    ).toMatchObject({ code: 'list-type-not-deployed', next: expect.stringContaining('depend on it with addDependency') });
    expect(synthError((app) => void share(app).own(author))).toMatchObject({ code: 'list-type-not-deployed' });
    expect(synthError((app) => void share(marked(app, 'others.edge.example.com')))).toMatchObject({
      code: 'list-type-not-deployed',
    });
  });
});
