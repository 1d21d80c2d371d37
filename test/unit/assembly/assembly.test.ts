import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf, type Manifest, readAssembly, writeAssembly } from '../../../src/assembly/index.js';
import { App, Stack } from '../../../src/entry/index.js';

let parent: string;
let directory: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'fieldwise-test-'));
  directory = join(parent, 'dist');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v' } });

function synth(...names: string[]): void {
  const app = new App({ name: 'shop', outdir: directory });
  const stack = new Stack(app, 'web', { namespace: 'edge' });
  for (const name of names) stack.own(configMap(name), { fields: { data: { conflicts: 'fail' } } });
  new Stack(app, 'Other--Stack');
  app.synth();
}

const manifestOf = () => JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));

describe('an assembly', () => {
  it('is read as it was written', async () => {
    synth('a', 'b');
    const { manifest, objects } = await readAssembly(directory);
    expect(manifest).toEqual(manifestOf());
    expect(manifest.stacks.map(({ name }) => name)).toEqual(['web', 'Other--Stack']);
    expect(objects).toEqual([['a', 'b'].map((name) => ({ ...configMap(name), metadata: { name, namespace: 'edge' } })), []]);
  });

  it('has the same bytes for the same program, written once or twice', () => {
    const read = () => readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
    synth('a');
    const first = read();
    synth('a');
    expect(read()).toEqual(first);
  });

  it('replaces the one before, file for file, and leaves nothing beside it', () => {
    synth('a');
    const before = readdirSync(directory);
    const app = new App({ name: 'shop', outdir: directory });
    new Stack(app, 'new');
    app.synth();
    expect(before).toContain('web.json');
    expect(readdirSync(directory).sort()).toEqual(['manifest.json', 'new.json', 'new.yaml']);
    expect(readdirSync(parent)).toEqual(['dist']);
  });

  it('replaces the one before, whatever its names contain, but for files of others', () => {
    const write = () => {
      const app = new App({ name: 'shop', outdir: directory });
      for (const name of ['}]},', '"intents":[', '}]}]}', 'none', 'last'])
        for (const index of name === 'none' ? [] : [1, 2]) new Stack(app, `${name} ${index}`).own(configMap(`a${index}`));
      new Stack(app, 'none');
      app.synth();
    };
    write();
    write();
    expect(readdirSync(directory)).toHaveLength(19);
    writeFileSync(join(directory, 'web.json'), '');
    expect(write).toThrow('the directory of the assembly also contains web.json');
    rmSync(join(directory, 'web.json'));
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifestOf(), undefined, 2));
    write();
  });

  it('stays as it was when synth fails', () => {
    synth('a');
    const before = manifestOf();
    expect(() => synth('a', '')).toThrow(expect.objectContaining({ code: 'intent-without-name' }));
    expect(manifestOf()).toEqual(before);
    expect(readdirSync(parent)).toEqual(['dist']);
  });

  it('is written into an empty directory, and through a link', () => {
    mkdirSync(join(parent, 'real'));
    symlinkSync(join(parent, 'real'), directory);
    synth('a');
    expect(existsSync(join(parent, 'real', 'manifest.json'))).toBe(true);
  });

  it('is written to the place that a link names where nothing is yet', () => {
    symlinkSync('later', directory);
    synth('a');
    expect(existsSync(join(parent, 'later', 'manifest.json'))).toBe(true);
    expect(readdirSync(parent).sort()).toEqual(['dist', 'later']);
  });

  it('replaces what cdk8s has written, as cdk8s does', () => {
    mkdirAnd('web.k8s.yaml', 'kind: ConfigMap');
    synth('a');
    expect(readdirSync(directory)).not.toContain('web.k8s.yaml');
  });

  it.each([
    ['nothing', () => {}],
    ['an assembly', () => synth('old')],
    ['YAML of cdk8s', () => writeFileSync(join(directory, 'web.k8s.yaml'), 'kind: ConfigMap')],
  ])('leaves the assemblies of environments beside %s as they are', (_, prepare) => {
    mkdirSync(directory);
    prepare();
    const environments = ['dev', 'instance-a'].map((name) => join(directory, name));
    for (const outdir of environments) {
      const app = new App({ name: 'shop', outdir });
      new Stack(app, 'web').own(configMap('of-environment'));
      app.synth();
    }
    const read = () => environments.map((of) => readdirSync(of).map((name) => [name, readFileSync(join(of, name), 'utf8')]));
    const before = read();
    for (const name of ['a', 'b']) {
      synth(name);
      expect(readFileSync(join(directory, 'web.json'), 'utf8')).toContain(`"${name}"`);
      expect(read()).toEqual(before);
    }
    writeFileSync(join(directory, 'notes.md'), 'mine');
    expect(() => synth('c')).toThrow(expect.objectContaining({ message: expect.stringContaining('notes.md') }));
    expect(read()).toEqual(before);
    expect(readdirSync(parent)).toEqual(['dist']);
  });

  it('stays as it was, with the assemblies of environments, if one of them has the name of a new file', () => {
    synth('a');
    for (const name of ['dev', 'new.json']) {
      cpSync(directory, join(parent, 'copy'), { recursive: true });
      rmSync(join(parent, 'copy', 'dev'), { recursive: true, force: true });
      renameSync(join(parent, 'copy'), join(directory, name));
    }
    const before = readdirSync(directory, { recursive: true }).sort();
    const app = new App({ name: 'shop', outdir: directory });
    new Stack(app, 'new');
    expect(() => app.synth()).toThrow(expect.objectContaining({ code: 'output-unwritable' }));
    expect(readdirSync(directory, { recursive: true }).sort()).toEqual(before);
    expect(readdirSync(parent)).toEqual(['dist']);
  });

  it.each([
    [
      'a directory of somebody else beside the assembly of an environment',
      () => {
        synth('a');
        cpSync(directory, join(parent, 'dev'), { recursive: true });
        renameSync(join(parent, 'dev'), join(directory, 'dev'));
        mkdirSync(join(directory, 'mine'));
      },
      'mine',
    ],
    [
      'a link to an assembly',
      () => {
        synth('a');
        symlinkSync('.', join(directory, 'linked'));
      },
      'linked',
    ],
    ['files of somebody else', () => mkdirAnd('main.js', 'code'), 'main.js'],
    ['a manifest of somebody else', () => mkdirAnd('manifest.json', '{"name":"extension","stacks":[]}'), 'manifest.json'],
    [
      'a file beside an assembly',
      () => {
        synth('a');
        writeFileSync(join(directory, 'notes.md'), 'mine');
      },
      'notes.md',
    ],
    ['a file', () => writeFileSync(directory, 'mine'), 'not a directory'],
    [
      'YAML of cdk8s beside a file of somebody else',
      () => {
        mkdirAnd('web.k8s.yaml', 'kind: ConfigMap');
        writeFileSync(join(directory, 'notes.md'), 'mine');
      },
      'notes.md',
    ],
    [
      'a directory that is named as YAML of cdk8s',
      () => {
        mkdirAnd('web.k8s.yaml', 'kind: ConfigMap');
        mkdirSync(join(directory, 'more.k8s.yaml'));
      },
      'more.k8s.yaml',
    ],
  ])('does not replace %s', (_, prepare, named) => {
    prepare();
    expect(() => synth('a')).toThrow(expect.objectContaining({ code: 'output-not-an-assembly', message: expect.stringContaining(named) }));
    expect(readdirSync(parent)).toEqual(['dist']);
  });

  it('is not written where the file system forbids', () => {
    writeFileSync(join(parent, 'file'), '');
    const assembly = { manifest: { fieldwise: 1, app: 'a', instance: 'b', stacks: [], warnings: [] } as Manifest, files: new Map() };
    expect(() => writeAssembly(join(parent, 'file', 'dist'), assembly)).toThrow(expect.objectContaining({ code: 'output-unwritable' }));
  });
});

describe('readAssembly', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the point is to write what the types forbid
  type Edit = (manifest: any) => void;
  const edits: [string, Edit, string][] = [
    ['another format', (m) => (m.fieldwise = 2), 'its format version is 2'],
    ['no format', (m) => delete m.fieldwise, 'its format version is absent'],
    ['an unknown member', (m) => (m.extra = 1), 'extra'],
    ['a missing member', (m) => delete m.instance, 'instance'],
    ['a wrong lifecycle', (m) => (m.stacks[0].intents[0].lifecycle = 'borrow'), 'stacks.0.intents.0.lifecycle'],
    ['a field path without dot', (m) => (m.stacks[0].intents[0].policy.fields = { spec: { conflicts: 'fail' } }), 'no leading dot'],
    ['a manager that is too long', (m) => (m.stacks[0].manager = 'x'.repeat(129)), 'longer than 128 bytes'],
    ['a manager that cannot be printed', (m) => (m.stacks[0].manager = 'a b'), 'not printable'],
    ['one manager for two stacks', (m) => (m.stacks[1].manager = m.stacks[0].manager), 'belongs to two stacks'],
    ['one stack twice', (m) => (m.stacks[1].name = m.stacks[0].name), 'it lists stack'],
    ['a stack before what it depends on', (m) => (m.stacks[0].dependsOn = [m.stacks[1].name]), 'is not listed before it'],
    ['a path out of the directory', (m) => (m.stacks[0].json.path = '../web.json'), 'not inside the directory'],
    ['an absolute path', (m) => (m.stacks[0].json.path = '/etc/passwd'), 'not inside the directory'],
    ['a path of Windows', (m) => (m.stacks[0].json.path = '..\\web.json'), 'not inside the directory'],
    ['one file for two stacks', (m) => (m.stacks[1].json = m.stacks[0].json), 'it lists the file'],
    ['an object twice', (m) => (m.stacks[0].intents[1] = m.stacks[0].intents[0]), 'two intents for ConfigMap edge/a'],
    ['a dependency on nothing', (m) => (m.stacks[0].intents[0].dependsOn = [7]), 'depends on intent 7'],
    ['fewer intents than objects', (m) => m.stacks[0].intents.pop(), 'it contains 2 objects, but the manifest lists 1 intent of'],
    ['another name', (m) => (m.stacks[0].intents[0].name = 'x'), 'its metadata.name is "a", but the manifest says "x"'],
    ['another namespace', (m) => delete m.stacks[0].intents[0].namespace, 'its metadata.namespace is "edge", but the manifest says none'],
    ['another digest', (m) => (m.stacks[0].yaml.sha256 = digestOf('')), 'it was changed after it was written'],
  ];
  it.each(edits)('refuses %s', async (_, edit, reason) => {
    synth('a', 'b');
    const manifest = manifestOf();
    edit(manifest);
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
    const error = await readAssembly(directory).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'assembly-invalid', kind: 'usage', location: { file: expect.stringContaining(directory) } });
    expect(error.message).toContain(reason);
  });

  it.each([
    ['a changed file', () => writeFileSync(join(directory, 'web.json'), '[]'), 'web.json', 'it was changed'],
    ['a missing file', () => rmSync(join(directory, 'web.yaml')), 'web.yaml', 'the file does not exist'],
    ['a manifest that is no JSON', () => writeFileSync(join(directory, 'manifest.json'), '{'), 'manifest.json', 'it is not JSON'],
    ['no directory', () => rmSync(directory, { recursive: true }), 'manifest.json', 'the file does not exist'],
  ])('refuses %s', async (_, damage, file, reason) => {
    synth('a');
    damage();
    const error = await readAssembly(directory).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'assembly-invalid', location: { file: join(directory, file) } });
    expect(error.message).toContain(reason);
  });

  it('reads a copy elsewhere', async () => {
    synth('a');
    cpSync(directory, join(parent, 'copy'), { recursive: true });
    await expect(readAssembly(join(parent, 'copy'))).resolves.toBeDefined();
  });
});

function mkdirAnd(name: string, content: string): void {
  mkdirSync(directory);
  writeFileSync(join(directory, name), content);
}
