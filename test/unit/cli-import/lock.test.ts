import { afterEach, beforeEach, expect, test } from 'vitest';
import { textDigest } from '../../../src/cli/import/digest.js';
import { ImportProject, sharedGateway } from './import-program.js';

let project: ImportProject;
beforeEach(async () => {
  project = await ImportProject.make();
});
afterEach(() => project.remove());

const module = 'imports/edge.example.com/v1.ts';
const lockFile = 'imports/fieldwise.lock.json';
const functions = async () => [...(await project.read(module)).matchAll(/^export function (\w+)\(/gm)].map((match) => match[1]);

/** A CRD of a kind with these properties below `.spec`. */
const crd = (kind: string, properties: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.edge.example.com }
spec:
  group: edge.example.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: ${properties} } } } } }]
`;
const part = (field: string) => `{ type: object, properties: { ${field}: { type: string } } }`;

test('pins the digest of each source and the names of each module, in the same bytes every time', async () => {
  await project.put('a.yaml', crd('Gate', `{ bolt: ${part('size')} }`));
  await project.import(['a.yaml']);
  const first = await project.read(lockFile);
  expect(JSON.parse(first)).toEqual({
    fieldwise: 1,
    generated: {
      'edge.example.com': {
        from: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        files: { 'edge.example.com/v1.ts': expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      },
    },
    names: {
      'edge.example.com/v1': {
        Bolt: 'Gate edge.example.com/v1 .spec.bolt',
        Gate: 'Gate edge.example.com/v1 .',
        GateSpec: 'Gate edge.example.com/v1 .spec',
      },
    },
    sources: {
      'a.yaml': {
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        parts: { 'gates.edge.example.com': expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      },
    },
  });
  // Layout, comments and what a server writes are no change.
  await project.put(
    'a.yaml',
    `# again\n${crd('Gate', `{ bolt: ${part('size')} }`)}status: { acceptedNames: { kind: Gate, plural: gates } }\n`,
  );
  expect((await project.import(['a.yaml', '--frozen'])).stderr).toBe('');
  expect(await project.read(lockFile)).toBe(first);
});

test('another build of the generator that writes the same changes nothing; one that writes other files does', async () => {
  await project.put('a.yaml', crd('Gate', `{ bolt: ${part('size')} }`));
  await project.import(['a.yaml']);
  const lock = JSON.parse(await project.read(lockFile));
  const locked = lock.generated['edge.example.com'];
  const other = `sha256:${'0'.repeat(64)}`;
  const written = async (entry: object) => {
    await project.put(
      lockFile,
      `${JSON.stringify({ ...lock, generated: { 'edge.example.com': { ...locked, ...entry } } }, undefined, 2)}\n`,
    );
    await project.import(['a.yaml']);
    return JSON.parse(await project.read(lockFile)).generated['edge.example.com'];
  };
  expect(await written({ from: other })).toEqual({ ...locked, from: other });
  expect(await written({ from: other, files: { 'edge.example.com/v1.ts': other } })).toEqual(locked);
});

test('says what changed in a source, and which types came and went', async () => {
  await project.put('crds/a.yaml', crd('Gate', `{ bolt: ${part('size')} }`));
  await project.put('crds/b.yaml', crd('Wall', '{ height: { type: integer } }'));
  await project.import(['crds']);
  await project.put('crds/a.yaml', crd('Gate', `{ hinge: ${part('side')} }`));
  await project.put('crds/c.yaml', crd('Roof', '{ pitch: { type: integer } }'));
  const { stderr } = await project.import(['crds']);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'note: crds changed since the last import: gates.edge.example.com differs; roofs.edge.example.com is new',
    'note: types of edge.example.com/v1: Hinge, Roof, RoofSpec are new; Bolt is removed',
  ]);
});

test.each([
  [
    'a changed source',
    async () => project.put('a.yaml', crd('Gate', '{}')),
    /a\.yaml changed since the last import: gates\.edge\.example\.com differs/,
  ],
  ['a source that was never imported', async () => project.put('b.yaml', crd('Wall', '{}')), /b\.yaml is not in the lock file/],
])('--frozen refuses %s and writes nothing', async (_, change, message) => {
  await project.put('a.yaml', crd('Gate', `{ bolt: ${part('size')} }`));
  await project.import(['a.yaml']);
  const before = [await project.read(module), await project.read(lockFile)];
  await change();
  const words = (await project.files()).filter((file) => file.endsWith('.yaml'));
  await expect(project.import([...words, '--frozen'])).rejects.toMatchObject({
    code: 'lock-differs',
    message: expect.stringMatching(message),
    location: { file: lockFile },
  });
  expect([await project.read(module), await project.read(lockFile)]).toEqual(before);
});

test('--frozen without a lock file, and a lock file that is none, are refused', async () => {
  await project.put('a.yaml', crd('Gate', '{}'));
  await expect(project.import(['a.yaml', '--frozen'])).rejects.toMatchObject({ code: 'lock-differs' });
  await project.put(lockFile, '{"fieldwise": 1, "sources": []}');
  await expect(project.import(['a.yaml'])).rejects.toMatchObject({ code: 'lock-invalid', location: { file: lockFile } });
});

test('names stay when a CRD is added that would take them, and when the schema grows', async () => {
  // Bolt is named after .spec.deep.bolt; Alarm stands first in the alphabet and has a shorter path to an equal type.
  await project.put('gate.yaml', crd('Gate', `{ deep: { type: object, properties: { bolt: ${part('size')} } } }`));
  await project.import(['gate.yaml']);
  expect(await functions()).toEqual(['bolt', 'deep', 'gate', 'gateSpec']);
  await project.put('alarm.yaml', crd('Alarm', `{ horn: ${part('size')}, bolt: ${part('tone')} }`));
  await project.import(['gate.yaml', 'alarm.yaml']);
  const names = JSON.parse(await project.read(lockFile)).names['edge.example.com/v1'];
  expect(names).toMatchObject({
    Bolt: 'Gate edge.example.com/v1 .spec.deep.bolt',
    AlarmBolt: 'Alarm edge.example.com/v1 .spec.bolt',
  });
  expect(names.Horn).toBe('Bolt'); // a function of its own, for one type
  // Without the lock file the new CRD would have had its way.
  await project.import(['gate.yaml', 'alarm.yaml', '--outdir', 'fresh']);
  expect(JSON.parse(await project.read('fresh/fieldwise.lock.json')).names['edge.example.com/v1']).toMatchObject({
    Horn: 'Alarm edge.example.com/v1 .spec.horn',
    Bolt: 'Alarm edge.example.com/v1 .spec.bolt',
  });
  await project.put(
    'gate.yaml',
    crd(
      'Gate',
      `{ deep: { type: object, properties: { bolt: { type: object, properties: { size: { type: string }, grip: { type: string } } } } } }`,
    ),
  );
  await project.import(['gate.yaml', 'alarm.yaml']);
  expect(JSON.parse(await project.read(lockFile)).names['edge.example.com/v1']).toMatchObject({
    Bolt: 'Gate edge.example.com/v1 .spec.deep.bolt',
    AlarmBolt: 'Alarm edge.example.com/v1 .spec.bolt',
    Horn: 'Alarm edge.example.com/v1 .spec.horn',
  });
});

test('a kind that arrives later gives way to names that are in use', async () => {
  await project.put('a.yaml', crd('Gate', `{ wall: ${part('size')}, roofStatus: ${part('pitch')} }`));
  await project.import(['a.yaml']);
  await project.put('wall.yaml', crd('Wall', '{}'));
  await project.put(
    'roof.yaml',
    crd('Roof', '{}').replace(
      'openAPIV3Schema: { type: object, properties: {',
      `openAPIV3Schema: { type: object, properties: { status: ${part('a')},`,
    ),
  );
  const { stderr } = await project.import(['a.yaml', 'wall.yaml', 'roof.yaml']);
  expect(await functions()).toEqual(['gate', 'gateSpec', 'roof2', 'roofStatus', 'roofStatus2', 'wall', 'wall2']);
  expect(stderr).toContain('the kind Wall shares its name; named Wall2 (name-changed)');
});

test('an import of some sources keeps what the lock file says of the others', async () => {
  await project.put('a.yaml', sharedGateway);
  await project.put('b.yaml', sharedGateway.replaceAll('edge.example.com', 'far.example.com'));
  await project.import(['a.yaml', 'b.yaml']);
  const both = await project.read(lockFile);
  await project.import(['b.yaml']);
  expect(await project.read(lockFile)).toBe(both);
  await project.put('fieldwise.yaml', 'imports: [b.yaml]\n');
  await project.import([]);
  const { sources, names } = JSON.parse(await project.read(lockFile));
  expect([Object.keys(sources), Object.keys(names)]).toEqual([['b.yaml'], ['far.example.com/v1']]);
});

test('a module is generated again only if its CRD, its file or the options differ', async () => {
  const source = crd('Gate', `{ bolt: ${part('size')} }`);
  await project.put('a.yaml', source);
  await project.import(['a.yaml']);
  const [text, lock] = [await project.read(module), await project.read(lockFile)];
  const again = async (flags: readonly string[] = []) => {
    await project.import(['a.yaml', ...flags]);
    return project.read(module);
  };
  // A lock file that vouches for other bytes shows what was not generated again.
  const edited = `${text}// by hand\n`;
  const vouching = JSON.parse(lock);
  vouching.generated['edge.example.com'].files['edge.example.com/v1.ts'] = textDigest(edited);
  await project.put(module, edited);
  await project.put(lockFile, JSON.stringify(vouching));
  expect(await again()).toBe(edited);
  expect(await again(['--no-docs'])).not.toContain('by hand');
  await again();
  await project.put(module, edited);
  expect(await again()).toBe(text);
  // The digest of the inputs is still the one of --no-docs, which wrote the same file.
  const withoutInputs = (file: string) => file.replace(/"from": "[^"]*"/, '');
  expect(withoutInputs(await project.read(lockFile))).toBe(withoutInputs(lock));
  await project.put('a.yaml', source.replace('size', 'width'));
  expect(await again()).toContain('withWidth');
});

test('warns of a method that sets another field than before', async () => {
  const text = '{ type: string }';
  await project.put('a.yaml', crd('Gate', `{ foo-bar: ${text} }`));
  await project.import(['a.yaml']);
  await project.put('a.yaml', crd('Gate', `{ foo-bar: ${text}, fooBar: ${text} }`));
  const { stderr } = await project.import(['a.yaml']);
  expect(stderr).toContain(`warning: GateSpec.withFooBar of ${module} set the field "foo-bar", and now sets "fooBar": check its calls\n`);
});

test('frozen, refuses a module that is missing or edited, and writes nothing', async () => {
  await project.put('a.yaml', crd('Gate', `{ bolt: ${part('size')} }`));
  await project.import(['a.yaml']);
  const written = await project.read(module);
  await project.put(module, written.replace('withBolt', 'withOther'));
  await expect(project.import(['a.yaml', '--frozen'])).rejects.toMatchObject({ code: 'lock-differs', location: { file: module } });
  expect(await project.read(module)).toContain('withOther');
  await project.import(['a.yaml']);
  expect(await project.read(module)).toBe(written);
  expect((await project.import(['a.yaml', '--frozen'])).stderr).toBe('');
});

test('two imports at once are both in the lock file', async () => {
  await project.put('a.yaml', crd('Gate', `{ bolt: ${part('size')} }`));
  await project.put('b.yaml', crd('Door', `{ bolt: ${part('size')} }`).replaceAll('edge.example.com', 'door.example.com'));
  await Promise.all([project.import(['a.yaml']), project.import(['b.yaml'])]);
  expect(Object.keys(JSON.parse(await project.read(lockFile)).sources)).toEqual(['a.yaml', 'b.yaml']);
});
