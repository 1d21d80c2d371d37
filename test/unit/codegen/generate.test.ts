import { readFile } from 'node:fs/promises';
import { generateModules } from 'fieldwise/codegen';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readCrd } from '../../../src/schema/index.js';
import { listener, route, sharedGateway, sharedGatewaySpec, sharedGatewayStatus } from './imports/edge.example.com/v1.js';

const fixture = new URL('./fixtures/shared-gateway.yaml', import.meta.url);
const golden = new URL('./imports/edge.example.com/v1.ts', import.meta.url);

/** To accept a change of the output, run the tests with FIELDWISE_UPDATE=1 and read the difference. */
test('the module of a CRD, byte for byte', async () => {
  const { roots } = readCrd(parse(await readFile(fixture, 'utf8')), { docs: true });
  const { files, diagnostics, names } = await generateModules(roots, { docs: true });
  expect(files.map(({ path, kinds }) => ({ path, kinds }))).toEqual([{ path: 'edge.example.com/v1.ts', kinds: ['SharedGateway'] }]);
  expect(diagnostics).toEqual([]);
  expect(names['edge.example.com/v1']).toMatchObject({ Listener: 'SharedGateway edge.example.com/v1 .spec.listeners[]' });
  if (process.env.FIELDWISE_UPDATE === '1') await (await import('node:fs/promises')).writeFile(golden, files[0]!.text);
  expect(files[0]!.text).toBe(await readFile(golden, 'utf8'));
});

test('the same schema in another order gives the same bytes', async () => {
  const document = parse(await readFile(fixture, 'utf8'));
  const reversed = JSON.parse(JSON.stringify(document), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
  );
  const [one, two] = await Promise.all(
    [document, reversed].map((crd) => generateModules(readCrd(crd, { docs: true }).roots, { docs: true })),
  );
  expect(two!.files).toEqual(one!.files);
});

test('the program of the README builds with the generated module', () => {
  const gateway = sharedGateway('public').withSpec(
    sharedGatewaySpec()
      .withClass('nginx')
      .withListeners(listener(443).withRoutes({ name: 'review-42' }), { port: 80, routes: [route('a')] }),
  );
  expect(gateway.build()).toEqual({
    apiVersion: 'edge.example.com/v1',
    kind: 'SharedGateway',
    metadata: { name: 'public' },
    spec: {
      class: 'nginx',
      listeners: [
        { port: 443, routes: [{ name: 'review-42' }] },
        { port: 80, routes: [{ name: 'a' }] },
      ],
    },
  });
  expect(sharedGatewayStatus('public').withStatus({ ready: true }).build()).toMatchObject({ status: { ready: true } });
  expect(
    sharedGateway('p')
      .withSpec({ config: { any: [1, { thing: null }] }, selfSigned: {}, paused: null })
      .build(),
  ).toMatchObject({
    spec: { config: { any: [1, { thing: null }] }, selfSigned: {}, paused: null },
  });
});

/** Programs that must not compile; never called. */
function rejected(): unknown[] {
  return [
    // @ts-expect-error the key of the list is missing
    sharedGatewaySpec().withListeners({ hostname: 'x' }),
    // @ts-expect-error the key of the inner list is missing
    listener(443).withRoutes({ weight: 1 }),
    // @ts-expect-error no value of the enum
    sharedGatewaySpec().withClass('apache'),
    // @ts-expect-error unknown fields are kept below config only
    sharedGateway('p').withSpec({ anything: 1 }),
    // @ts-expect-error metadata is ObjectMeta
    sharedGateway('p').withMetadata({ label: {} }),
  ];
}

test('what must not compile does not', () => {
  // tsc checks the function above; nothing is left to do at run time.
  expect(rejected).toBeInstanceOf(Function);
});
