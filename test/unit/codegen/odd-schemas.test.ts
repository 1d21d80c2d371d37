import { readFile, writeFile } from 'node:fs/promises';
import { generateModules } from 'fieldwise/codegen';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCrd } from '../../../src/schema/index.js';
import { lists, loose, names, oddThing, oddThingSpec, oddThingStatus, peer, weight } from './imports/odd.example.com/v1.js';

const golden = new URL('./imports/odd.example.com/v1.ts', import.meta.url);

/** To accept a change of the output, run the tests with FIELDWISE_UPDATE=1 and read the difference. */
test('the module of a CRD with all that is odd, byte for byte', async () => {
  const { roots, diagnostics } = readCrd(parse(await readFile(new URL('./fixtures/odd-thing.yaml', import.meta.url), 'utf8')), {
    docs: true,
  });
  const result = await generateModules(roots, { docs: true });
  expect([...diagnostics, ...result.diagnostics].map(({ code, path }) => `${code} ${path}`)).toEqual([
    'version-deprecated .',
    'value-rule-not-checked .',
    'value-rule-not-checked .spec.enums.onArray',
    'junctor-not-checked .spec.numbers.withPattern',
    'junctor-not-checked .spec.choices',
    'junctor-not-checked .spec.choices',
    'value-rule-not-checked .spec.choices',
    'name-changed .spec.names',
    'name-changed .spec.names',
    'name-changed .spec.names',
    'name-changed .spec.names',
    'node-widened .spec.names',
    'node-widened .spec.names',
  ]);
  if (process.env.FIELDWISE_UPDATE === '1') await writeFile(golden, result.files[0]!.text);
  expect(result.files[0]!.text).toBe(await readFile(golden, 'utf8'));
});

test('a field of any value takes any, and checks the fields of an object and the items of a list', () => {
  const accepted = [
    oddThingSpec().withLoose({ text: 'x', ports: [{ port: 1 }], more: { of: ['it'] } }),
    oddThingSpec().withLoose(loose().withText('x').withPorts({ port: 1, title: 'a' })),
    oddThingSpec().withLoose(5).withLooseList('x').withLooseMap(true),
    oddThingSpec()
      .withLoose(['x', { text: 5 }])
      .withLooseList([1, 2])
      .withLooseMap({ a: 1 }),
    oddThingSpec().withLooseList({ a: 'x' }).withLooseMap(['x']),
    oddThingSpec().withLooseMap(null),
    oddThingSpec().withLooseItems([{ text: 'x', more: 1 }, 5, ['x'], null]),
  ];
  expect(accepted.map((spec) => oddThing('x').withSpec(spec).build()).map(({ spec }) => spec)).toEqual([
    { loose: { text: 'x', ports: [{ port: 1 }], more: { of: ['it'] } } },
    { loose: { text: 'x', ports: [{ port: 1, title: 'a' }] } },
    { loose: 5, looseList: 'x', looseMap: true },
    { loose: ['x', { text: 5 }], looseList: [1, 2], looseMap: { a: 1 } },
    { looseList: { a: 'x' }, looseMap: ['x'] },
    { looseMap: null },
    { looseItems: [{ text: 'x', more: 1 }, 5, ['x'], null] },
  ]);
  const refused = [
    // @ts-expect-error the type of a known field
    oddThingSpec().withLoose({ text: 5 }),
    // @ts-expect-error the key of an item
    oddThingSpec().withLoose({ ports: [{ title: 'a' }] }),
    // @ts-expect-error the type of items
    oddThingSpec().withLooseList(['x']),
    // @ts-expect-error the type of members
    oddThingSpec().withLooseMap({ a: 'x' }),
    // @ts-expect-error the type of a known field of an item
    oddThingSpec().withLooseItems([{ text: 5 }]),
    // @ts-expect-error null, which a server drops
    oddThingSpec().withLoose(null),
  ];
  for (const spec of refused)
    expect(() => oddThing('x').withSpec(spec).build()).toThrow(expect.objectContaining({ code: 'intent-invalid' }));
});

test('every odd field can be declared, by a literal and by a builder', () => {
  const odd = JSON.parse(
    '{"$ref":"r","hyphen-ated":"1","hyphen_ated":"2","1st":"x","class":"c","build":"b","set":"s","constructor":"k","__proto__":"p"}',
  );
  const built = oddThing('x')
    .withSpec(
      oddThingSpec()
        .withNames({
          $ref: 'r',
          'hyphen-ated': '1',
          hyphen_ated: '2',
          '1st': 'x',
          class: 'c',
          build: 'b',
          set: 's',
          constructor: 'k',
          ['__proto__']: 'p',
        })
        .withEnums({ empty: '', integer: -1, withNull: 'on', onArray: ['a'] })
        .withNumbers({ plain: 1, withAnyOf: '50%', withPattern: '5%', replicas: 3 })
        .withNulls({ text: null, list: null, items: ['a', null], values: { a: null, b: { a: 'x' } } })
        .withOpen({ known: { a: 'x' }, more: [{ of: 'it' }] })
        .withAnything([1, { a: null }])
        .withTemplate({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } })
        .withChoices({ a: 'x' })
        .withLists(
          lists()
            .withSet(1, 2, 2)
            .withMatrix([[1], [2, 3]])
            .withPeers(peer(80).withWeights(weight('a')), { port: 80, protocol: 'UDP' }),
        )
        .withMaps({ ofMaps: { a: { b: 1 } }, ofObjects: { a: { x: 1.5 } }, atomic: { name: 'n' }, since: '2026-01-01T00:00:00Z' }),
    )
    .build() as { readonly spec: Readonly<Record<string, unknown>> };
  expect(JSON.stringify(built.spec.names)).toBe(JSON.stringify(odd));
  expect(built.spec).toMatchObject({
    nulls: { text: null, list: null, items: ['a', null], values: { a: null, b: { a: 'x' } } },
    anything: [1, { a: null }],
    template: { kind: 'Pod', spec: { containers: [] } },
    lists: {
      set: [1, 2],
      peers: [
        { port: 80, weights: [{ name: 'a' }] },
        { port: 80, protocol: 'UDP' },
      ],
    },
  });
  expect(names().withHyphenAted('3').withHyphenAted2('1').withHyphenAted3('2').withProto('p').build()).toEqual(
    JSON.parse('{"hyphenAted":"3","hyphen-ated":"1","hyphen_ated":"2","__proto__":"p"}'),
  );
  expect(names().with日本('1').with日本X('2').withGröße('3').withField('+').withField2('-').withField3('☺').build()).toEqual({
    日本: '1',
    '日本-x': '2',
    größe: '3',
    '+': '+',
    '-': '-',
    '😀': '☺',
  });
  expect(
    oddThingStatus('x')
      .withStatus({ conditions: [{ type: 'Ready' }] })
      .build(),
  ).toMatchObject({ status: {} });
});
