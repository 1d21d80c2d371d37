import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDocuments } from '../../../../src/cli/documents/read-documents.js';
import type { FieldwiseError } from '../../../../src/util/error.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'fieldwise-documents-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), content);
};

/** The objects and errors of paths. */
async function read(paths: readonly string[], stdin: string | Buffer = '') {
  const errors: FieldwiseError[] = [];
  const objects = await readDocuments(paths, { cwd, stdin: Readable.from([Buffer.from(stdin)]) }, (error) => errors.push(error));
  return { objects, errors };
}

const config = (name: string, more = '') => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

/** Names with positions of a stream. */
const positions = async (stdin: string | Buffer) =>
  (await read(['-'], stdin)).objects.map(({ object, source }) => `${(object.metadata as { name?: string }).name} ${source}`);

/** The data of the only object. */
const dataOf = async (stdin: string | Buffer) => {
  const { objects, errors } = await read(['-'], stdin);
  expect(errors).toEqual([]);
  return objects[0]?.object.data;
};

test.each([
  ['kind: 5\napiVersion: v1\n', 'The kind of the document is the number 5, not a text', 'Quote it: `kind: "5"`.'],
  ['kind: [A]\napiVersion: v1\n', 'The kind of the document is a list, not a text', 'Write one text as the kind.'],
  ['kind: ConfigMap\napiVersion: 1\n', 'The apiVersion of the document is the number 1, not a text', 'Quote it: `apiVersion: "1"`.'],
])('%j is told what its value is', async (stream, message, next) => {
  expect((await read(['-'], stream)).errors).toEqual([expect.objectContaining({ code: 'document-invalid', message, next })]);
});

describe('a stream', () => {
  test.each([
    { of: 'several documents', stream: `---\n${config('a')}---\n# b\n${config('b')}`, found: ['a stdin:2', 'b stdin:8'] },
    {
      of: 'a List',
      stream: `apiVersion: v1\nkind: List\nitems:\n- ${config('a').replaceAll('\n', '\n  ')}\n- ${config('b').replaceAll('\n', '\n  ')}`,
      found: ['a stdin:4', 'b stdin:9'],
    },
    {
      of: 'a List with a kind, indented items, and a script that has dashes',
      stream:
        'kind: ConfigMapList\napiVersion: v1\nitems:\n  # one\n  - metadata:\n      name: a\n    data:\n      x: |\n        - no item\n  - metadata: {name: b}\nmetadata: {}\n',
      found: ['a stdin:5', 'b stdin:10'],
    },
    {
      of: 'a List in flow style',
      stream: '{kind: List, apiVersion: v1, items: [{kind: A, apiVersion: v1, metadata: {name: a}}]}',
      found: ['a stdin:1'],
    },
    { of: 'an empty List', stream: 'apiVersion: v1\nkind: List\nitems: []\n', found: [] },
    {
      of: 'a List in JSON',
      stream: `{\n"kind":"List","apiVersion":"v1","metadata":{"x":[{}]},"items":[\n{"kind":"A","apiVersion":"v1","metadata":{"name":"a"},"c":[{"d":"}{\\""}]},\n{"kind":"A","apiVersion":"v1","metadata":{"name":"b"}}]}\n`,
      found: ['a stdin:3', 'b stdin:4'],
    },
    {
      of: 'JSON documents after each other',
      stream: '{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}\n\n{"kind":"A","apiVersion":"v1","metadata":{"name":"b"}}\n',
      found: ['a stdin:1', 'b stdin:3'],
    },
    { of: 'JSON between markers', stream: '---\n{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}\n---\n', found: ['a stdin:2'] },
    { of: 'CRLF and a byte order mark', stream: `\ufeff${config('a').replaceAll('\n', '\r\n')}`, found: ['a stdin:1'] },
    { of: 'UTF-16', stream: Buffer.from(`\ufeff${config('a')}`, 'utf16le'), found: ['a stdin:1'] },
  ])('$of', async ({ stream, found }) => {
    expect(await positions(stream)).toEqual(found);
  });

  test('values are those of kubectl: words of YAML 1.1, octal numbers, texts of times, every digit', async () => {
    const data = 'data: {a: yes, b: "yes", c: 010, d: 22:22, e: 2024-01-01, f: 9007199254740993, g: 1.0, h: ~, i: 1e3, n: x, 1.10: z}\n';
    expect(await dataOf(config('a', data))).toEqual({
      a: true,
      b: 'yes',
      c: 8,
      d: '22:22',
      e: '2024-01-01',
      f: 9007199254740993n,
      g: 1,
      h: null,
      i: 1000,
      false: 'x',
      1.1: 'z',
    });
    expect(await dataOf('{"kind":"A","apiVersion":"v1","data":{"f":9007199254740993}}')).toEqual({ f: 9007199254740993n });
  });

  test('anchors, merge keys and the escapes of Go are read', async () => {
    expect(await dataOf(config('a', 'base: &b {x: "1"}\ndata: {<<: *b, z: "it\\\'s"}\n'))).toEqual({ x: '1', z: "it's" });
  });

  test('keys that are words of YAML 1.1 are warned about, but not in scripts', async () => {
    const { objects } = await read(['-'], config('a', 'data:\n  "on": x\n  y: "1"\n  s: |\n    z: 1\n'));
    expect(objects[0]?.alterations).toEqual([
      { document: 0, location: 'stdin:7', message: expect.stringContaining('the key y is read as "true"') },
    ]);
    const braces = (await read(['-'], config('a', 'data: { x: "0", y: "1", n: "2" }\n'))).objects[0]?.alterations;
    expect(braces?.map(({ message }) => message.slice(0, 31))).toEqual([
      'the key y is read as "true", it',
      'the key n is read as "false", i',
    ]);
    expect((await read(['-'], config('a', 'data:\n  s: |\n    on: push\n'))).objects[0]?.alterations).toEqual([]);
  });

  test('of repeated keys the last one counts, with a warning that names its line', async () => {
    const { objects, errors } = await read(['-'], `${config('a')}---\n${config('b', 'data:\n  k: "1"\n  k: "2"\n')}`);
    expect(errors).toEqual([]);
    expect(objects[1]).toMatchObject({ object: { data: { k: '2' } }, alterations: [{ location: 'stdin:12' }] });
    expect(objects[1]?.alterations[0]?.message).toMatch(/repeated/);
  });
});

describe('errors', () => {
  test.each([
    { of: 'broken YAML', stream: `${config('a')}---\na: [\n`, code: 'yaml-invalid', where: /^stdin:(6|7):\d/ },
    { of: 'broken JSON', stream: '{"a": \n1,,}', code: 'yaml-invalid', where: /^stdin:2:\d/ },
    { of: 'a number that JSON does not have', stream: config('a', 'x: .inf\n'), code: 'yaml-invalid', where: /^stdin:1$/ },
    { of: 'an HTML page', stream: '<!DOCTYPE html>\n<a: b>: [', code: 'yaml-invalid', where: /^stdin/ },
    { of: 'bytes', stream: Buffer.from([1, 0, 2]), code: 'yaml-invalid', where: /^stdin$/ },
    { of: 'another encoding', stream: Buffer.from([0x61, 0x3a, 0xe9]), code: 'yaml-invalid', where: /^stdin$/ },
    { of: 'an unknown alias', stream: 'a: *b\n', code: 'yaml-invalid', where: /^stdin:1/ },
    { of: 'an object inside itself', stream: 'a: &a [*a]\n', code: 'yaml-invalid', where: /^stdin/ },
    { of: 'deep nesting', stream: '['.repeat(20_000), code: 'yaml-invalid', where: /^stdin:1/ },
    {
      of: 'Lists without end',
      stream: `${'{"kind":"List","items":['.repeat(200_000)}${']}'.repeat(200_000)}`,
      code: 'document-invalid',
      where: /^stdin:1$/,
    },
    { of: 'a template', stream: `${config('{{ .Values.name }}')}`, code: 'template-not-rendered', where: /^stdin/ },
    {
      of: 'a template that does not parse',
      stream: '{{- if .Values.x }}\na: b\n{{ end }}\n',
      code: 'template-not-rendered',
      where: /^stdin/,
    },
    { of: 'a list', stream: '- a\n', code: 'document-invalid', where: /^stdin:1$/ },
    { of: 'text', stream: 'text\n', code: 'document-invalid', where: /^stdin:1$/ },
    { of: 'an empty item', stream: 'kind: List\napiVersion: v1\nitems:\n-\n', code: 'document-invalid', where: /^stdin:4$/ },
    { of: 'a document without a kind', stream: '---\na: 1\n', code: 'document-invalid', where: /^stdin:2$/ },
    { of: 'a kind that is not text', stream: 'kind: [A]\napiVersion: v1\n', code: 'document-invalid', where: /^stdin:1$/ },
    {
      of: 'a kustomization',
      stream: 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
      code: 'document-not-rendered',
      where: /^stdin:1$/,
    },
    {
      of: 'a description of a chart',
      stream: 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      code: 'document-not-rendered',
      where: /^stdin:1$/,
    },
  ])('$of: $code', async ({ stream, code, where }) => {
    const { errors } = await read(['-'], stream);
    expect(errors).toEqual([expect.objectContaining({ code })]);
    expect(errors[0]?.location.file).toMatch(where);
    expect(errors[0]?.next).toBeDefined();
  });

  test('aliases that grow beyond the limit', async () => {
    const levels = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level++)
      levels.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    const { errors } = await read(['-'], levels.join('\n'));
    expect(errors).toEqual([expect.objectContaining({ code: 'source-too-large' })]);
    expect(errors[0]?.next).not.toMatch(/CRD/);
  });

  test('every error of every document and file is reported', async () => {
    write('a.yaml', 'a: [\n---\n- b\n');
    write('b.yaml', `${config('b')}---\nx: 1\n`);
    const { objects, errors } = await read(['a.yaml', 'b.yaml', 'absent.yaml']);
    expect(objects.map(({ source }) => source)).toEqual(['b.yaml:1']);
    expect(errors.map(({ code, location }) => `${code} ${location.file}`)).toEqual([
      expect.stringMatching(/^yaml-invalid a\.yaml:\d/),
      'document-invalid a.yaml:3',
      'document-invalid b.yaml:6',
      'input-missing absent.yaml',
    ]);
  });
});

describe('directories', () => {
  test('all files are read in order, hidden ones and other files are not', async () => {
    for (const name of ['b.yaml', 'a/z.yml', 'a/c.json', 'c.YAML', '.hidden.yaml', '.git/d.yaml', 'README.md'])
      write(`dir/${name}`, name.endsWith('.md') ? 'text: [' : config(`of-${name.replace(/\W/g, '-').toLowerCase()}`));
    const { objects, errors } = await read(['dir']);
    expect(errors).toEqual([]);
    expect(objects.map(({ source }) => source)).toEqual(['dir/a/c.json:1', 'dir/a/z.yml:1', 'dir/b.yaml:1', 'dir/c.YAML:1']);
  });

  test('a file is read once, whichever links and paths lead to it', async () => {
    write('dir/a.yaml', config('a'));
    write('else/b.yaml', config('b'));
    symlinkSync(join(cwd, 'dir'), join(cwd, 'dir/loop'));
    symlinkSync(join(cwd, 'dir/a.yaml'), join(cwd, 'dir/again.yaml'));
    symlinkSync(join(cwd, 'else'), join(cwd, 'dir/else'));
    const { objects, errors } = await read(['dir', './dir', 'dir/a.yaml', 'else']);
    expect(errors).toEqual([]);
    expect(objects.map(({ source }) => source)).toEqual(['dir/a.yaml:1', 'dir/else/b.yaml:1']);
  });

  test('a link that leads nowhere is an error: its objects would be removed', async () => {
    write('dir/a.yaml', config('a'));
    symlinkSync(join(cwd, 'absent'), join(cwd, 'dir/b.yaml'));
    expect((await read(['dir'])).errors).toEqual([expect.objectContaining({ code: 'input-missing', location: { file: 'dir/b.yaml' } })]);
  });

  test.each([
    { file: 'Chart.yaml', next: "helm template 'dir/web'" },
    { file: 'kustomization.yaml', next: "kustomize build 'dir/web'" },
    { file: 'Kustomization', next: "kustomize build 'dir/web'" },
  ])('of a directory with $file nothing is read', async ({ file, next }) => {
    write(`dir/web/${file}`, 'a: 1\n');
    write('dir/web/templates/a.yaml', 'a: {{ b }}\n');
    const { objects, errors } = await read(['dir']);
    expect([objects, errors.length]).toEqual([[], 1]);
    expect(errors[0]).toMatchObject({ code: 'document-not-rendered', location: { file: 'dir/web' } });
    expect(errors[0]?.next).toContain(next);
  });

  test('the file of a kustomization is explained, which may have no kind', async () => {
    write('kustomization.yaml', 'resources: [a.yaml]\n');
    expect((await read(['kustomization.yaml'])).errors[0]).toMatchObject({ code: 'document-not-rendered' });
  });

  test('values of a chart are explained', async () => {
    write('values-prod.yaml', 'image: web\n');
    expect((await read(['values-prod.yaml'])).errors[0]).toMatchObject({ code: 'document-not-rendered' });
  });
});
