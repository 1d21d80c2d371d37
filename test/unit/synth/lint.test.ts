import { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { service } from '../../../generated/core/v1.js';
import { clusterRole } from '../../../generated/rbac/v1.js';
import { type App, acknowledge, own, Stack } from '../../../src/entry/index.js';
import { atomicGateway, crdBuilder, crdOf, sharedGateway } from './fixtures/crd-builder.js';
import { synthesized } from './fixtures/synthesized.js';

const stack = (app: App, name: string) => new Stack(app, name, { namespace: 'edge' });
const listeners = (port: number) => ({ spec: { listeners: [{ port, services: [{ name: 'web' }] }] } });

describe('atomic-list-shared', () => {
  it('says what a share of an atomic list does', () => {
    const { warnings } = synthesized((app) => stack(app, 'review-1').share(atomicGateway('public', listeners(443))));
    expect(warnings('atomic-list-shared')).toEqual([
      {
        code: 'atomic-list-shared',
        message:
          'AtomicGateway edge/public shares .spec.listeners, and this list is atomic: applying it replaces the whole list, including the items of other stacks. ' +
          'Declare the whole list in one stack. It can be shared only if its order carries no meaning and its CRD declares list map keys, ' +
          'and Fieldwise knows none for certain: port is optional.',
        stack: 'review-1',
        object: 'AtomicGateway edge/public',
        field: '.spec.listeners',
        construct: 'shop/review-1/share-AtomicGateway-public',
        source: expect.stringMatching(/^test\/unit\/synth\/lint\.test\.ts:14:\d+$/),
      },
    ]);
  });

  it('says of a built-in list that it cannot be shared', () => {
    const { warnings } = synthesized((app) => stack(app, 'review-1').share(clusterRole('reader').set('rules', [{ verbs: ['get'] }])));
    expect(warnings('atomic-list-shared').map(({ message }) => message)).toEqual([
      expect.stringContaining('The type of this built-in list cannot be changed'),
    ]);
  });

  const text = { type: 'string' };
  const warningOf = (name: string, properties: object, required: string[]) => {
    const items = { type: 'object', properties, required };
    const gateway = crdBuilder(crdOf('Gateway', { type: 'object', properties: { [name]: { type: 'array', items } } }));
    const { warnings } = synthesized((app) => stack(app, 'a').share(gateway('x', { spec: { [name]: [{ backends: [{}] }] } })));
    return warnings('atomic-list-shared')[0]?.message;
  };

  it('names the change of the CRD only for keys that it is sure of, those of lists in the items included', () => {
    const backends = { type: 'array', items: { type: 'object', properties: { id: text }, required: ['id'] } };
    expect(warningOf('listeners', { name: text, backends }, ['name'])).toContain(
      'To share it, change the CRD below versions[name=v1].schema.openAPIV3Schema: set ' +
        '`x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys: [name]` at properties.spec.properties.listeners, and ' +
        '`x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys: [id]` at properties.spec.properties.listeners.items.properties.backends.',
    );
  });

  it.each([
    ['items', { from: text, to: text, note: text }, ['to', 'from'], 'to and from are required, but nothing says that items differ in them'],
    ['items', { key: text, name: { type: 'object' } }, [], 'key is optional'],
    ['items', { note: text, from: { type: 'object' } }, ['from'], 'no field of its items is suitable as a key'],
    ['rules', { name: text, note: text }, ['name'], 'the order of rules may carry meaning'],
  ])('suggests no keys for %s of %j', (name, properties, required, reason) => {
    expect(warningOf(name, properties, required)).toMatch(new RegExp(`Fieldwise knows none for certain: ${reason}\\.$`));
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

describe('field-forced-twice', () => {
  const config = (colour: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { colour, same: 'x' } });

  it('names two stacks that force one field to different values', () => {
    const { warnings } = synthesized((app) => {
      stack(app, 'a').own(config('blue'));
      stack(app, 'b').share(config('red'));
      stack(app, 'c').share(config('green'));
    });
    expect(warnings('field-forced-twice').map(({ message, field, stack: name }) => [message, field, name])).toEqual([
      [
        expect.stringMatching(
          /^Stacks a \(shop\/a\/own-ConfigMap-web .*\) and b \(shop\/b\/.*\) declare different values for \.data\.colour of ConfigMap edge\/web, and both force it/,
        ),
        '.data.colour',
        'b',
      ],
    ]);
  });

  it.each([
    ['one of them yields', { conflicts: 'yield' }],
    ['one of them fails', { conflicts: 'fail' }],
    ['one of them yields this field', { fields: { 'data.colour': { conflicts: 'yield' } } }],
  ] as const)('is silent where %s', (_, policy) => {
    const { warnings } = synthesized((app) => {
      stack(app, 'a').own(config('blue'));
      stack(app, 'b').share(config('red'), policy);
    });
    expect(warnings('field-forced-twice')).toEqual([]);
  });
});

describe('items of shared lists', () => {
  const gateway = (items: object[]) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: items } });

  it('tells of an item without its key', () => {
    const { warnings } = synthesized((app) => {
      stack(app, 'a').own(service('web').withSpec({ ports: [{ name: 'http', port: 80 }] }));
      stack(app, 'b').share(gateway([{ name: 'admin' }]));
    });
    expect(warnings('list-item-without-key').map(({ message, stack: name }) => [message, name])).toEqual([
      [expect.stringContaining('shares an item of .spec.ports without port, which is a key of this list'), 'b'],
    ]);
  });

  it('tells of an item of the same name and another key', () => {
    const { warnings } = synthesized((app) => {
      stack(app, 'a').own(service('web').withSpec({ ports: [{ name: 'http', port: 80 }] }));
      stack(app, 'b').share(
        gateway([
          { name: 'http', port: 8080 },
          { name: 'admin', port: 81 },
        ]),
      );
    });
    expect(warnings('list-item-key-differs').map(({ message, field }) => [message, field])).toEqual([
      [expect.stringContaining('each declare an item named "http"'), '.spec.ports[port=8080,protocol="TCP"]'],
    ]);
  });
});

describe('share-release-refused', () => {
  const text = { type: 'string' };
  const route = crdBuilder(
    crdOf('Route', {
      type: 'object',
      required: ['host'],
      properties: { host: text, tls: { type: 'object', required: ['secret'], properties: { secret: text, mode: text } } },
    }),
  );
  const hazards = (declare: (app: App) => void) =>
    synthesized(declare)
      .warnings('share-release-refused')
      .map(({ field }) => field);

  it('tells of a required field that only a share declares, in what stays without it', () => {
    expect(
      hazards((app) => {
        stack(app, 'a').own(route('x', { spec: { tls: { mode: 'a' } } }));
        stack(app, 'b').share(route('x', { spec: { host: 'h', tls: { secret: 's' } } }));
      }),
    ).toEqual(['.spec.host', '.spec.tls.secret']);
  });

  it.each<[string, (app: App) => void]>([
    [
      'another stack declares it',
      (app) => [stack(app, 'a').own(route('x', { spec: { host: 'h' } })), stack(app, 'b').share(route('x', { spec: { host: 'h' } }))],
    ],
    [
      'the map around it goes too',
      (app) => [
        stack(app, 'a').own(route('x', { spec: { host: 'h' } })),
        stack(app, 'b').share(route('x', { spec: { tls: { secret: 's' } } })),
      ],
    ],
    [
      'the stack yields',
      (app) => [
        stack(app, 'a').own(route('x', { spec: { tls: {} } })),
        stack(app, 'b').share(route('x', { spec: { host: 'h' } }), { conflicts: 'yield' }),
      ],
    ],
    ['the stack owns the object', (app) => stack(app, 'a').own(route('x', { spec: { host: 'h' } }))],
  ])('is silent where %s', (_, declare) => {
    expect(hazards(declare)).toEqual([]);
  });
});

describe('secret-in-plain-text', () => {
  const secret = (data: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...data });

  it('names the keys and never the values', () => {
    const { warnings } = synthesized((app) =>
      stack(app, 'a').own(secret({ stringData: { password: 'hunter2', empty: '' }, data: { token: 'eHl6' } })),
    );
    expect(warnings('secret-in-plain-text')).toHaveLength(1);
    expect(warnings('secret-in-plain-text')[0]).toMatchObject({ field: '.data.token', object: 'Secret edge/s' });
    expect(warnings('secret-in-plain-text')[0]?.message).toContain('token, password');
    expect(JSON.stringify(warnings('secret-in-plain-text'))).not.toMatch(/hunter2|eHl6/);
  });

  it('is silent about a Secret without values', () => {
    expect(synthesized((app) => stack(app, 'a').own(secret({ type: 'Opaque' }))).manifest.warnings).toEqual([]);
  });
});

describe('acknowledge', () => {
  const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { a: 'b' } });

  it('silences a warning about an intent, a construct or a stack, and no other', () => {
    const { warnings } = synthesized((app) => {
      const first = stack(app, 'a');
      acknowledge(first.own(secret('one')), 'secret-in-plain-text', 'a test');
      const part = new Construct(first, 'part');
      own(part, secret('two'));
      acknowledge(part, 'secret-in-plain-text', 'a test');
      const second = stack(app, 'b');
      second.own(secret('three'));
      acknowledge(second, 'secret-in-plain-text', 'a test');
      first.own(secret('four'));
    });
    expect(warnings('secret-in-plain-text').map(({ object }) => object)).toEqual(['Secret edge/four']);
    expect(warnings('acknowledgement-unused')).toEqual([]);
  });

  it('silences a warning about two stacks from either of them', () => {
    for (const quiet of [0, 1]) {
      const { manifest } = synthesized((app) => {
        const both = ['a', 'b'].map((name) => stack(app, name).share(service('web').withSpec({ selector: { app: name } })));
        acknowledge(both[quiet] as Construct, 'atomic-list-contested', 'a test');
      });
      expect(manifest.warnings).toEqual([]);
    }
  });

  it('is a warning itself where nothing needs it', () => {
    const { manifest } = synthesized((app) => acknowledge(stack(app, 'a'), 'secret-in-plain-text', 'was true once'));
    expect(manifest.warnings).toEqual([
      {
        code: 'acknowledgement-unused',
        message: expect.stringContaining('acknowledges secret-in-plain-text'),
        construct: 'shop/a',
        source: expect.stringMatching(/^test\/unit\/synth\/lint\.test\.ts:\d+:\d+$/),
      },
    ]);
  });
});
