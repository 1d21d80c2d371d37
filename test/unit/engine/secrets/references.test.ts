import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Assembly } from '../../../../src/assembly/types.js';
import { resolveReferences } from '../../../../src/engine/secrets/references.js';

const directory = mkdtempSync(join(tmpdir(), 'fieldwise-references-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const secret = (data: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'edge' }, data });
const env = (name: string) => ({ 'fieldwise.dev/from-env': name });
const file = (path: string) => ({ 'fieldwise.dev/from-file': path });

function assemblyOf(...objects: object[]): Assembly {
  const stacks = objects.map((_, index) => {
    const declaredBy = [{ construct: `shop/s${index}/own-Secret-s`, source: 'main.ts:3:1' }];
    return { name: `s${index}`, intents: [{ apiVersion: 'v1', kind: 'Secret', namespace: 'edge', name: 's', declaredBy }] };
  });
  return { manifest: { stacks }, objects: objects.map((object) => [object]) } as unknown as Assembly;
}

it('fills in variables and files in base64, byte by byte, and does not change the assembly', () => {
  writeFileSync(join(directory, 'key'), Buffer.from([0, 255, 10]));
  const assembly = assemblyOf(secret({ a: env('PASSWORD'), b: file('key'), c: 'eA==' }));
  const resolved = resolveReferences(assembly, assembly.manifest.stacks, { env: { PASSWORD: 'hünter2' }, directory });
  expect(resolved.objects).toEqual([[secret({ a: 'aMO8bnRlcjI=', b: 'AP8K', c: 'eA==' })]]);
  expect(assembly.objects[0]?.[0]).toEqual(secret({ a: env('PASSWORD'), b: file('key'), c: 'eA==' }));
});

it('names everything that is missing by object, key and construct', () => {
  const assembly = assemblyOf(secret({ a: env('UNSET'), b: env('EMPTY'), c: file('absent'), d: file('.') }));
  const resolve = () => resolveReferences(assembly, assembly.manifest.stacks, { env: { EMPTY: '' }, directory });
  expect(resolve).toThrow(
    '4 values of Secrets cannot be read, and nothing was sent: ' +
      'key a of Secret edge/s declared by shop/s0/own-Secret-s (main.ts:3:1): the environment variable UNSET is not set; ' +
      'key b of Secret edge/s declared by shop/s0/own-Secret-s (main.ts:3:1): the environment variable EMPTY is empty; ' +
      'key c of Secret edge/s declared by shop/s0/own-Secret-s (main.ts:3:1): the file absent does not exist; ' +
      'key d of Secret edge/s declared by shop/s0/own-Secret-s (main.ts:3:1): the file . cannot be read (EISDIR)',
  );
});

it('reads nothing for stacks that are not selected', () => {
  const assembly = assemblyOf(secret({ a: env('UNSET') }), secret({ a: env('SET') }));
  const resolved = resolveReferences(assembly, assembly.manifest.stacks.slice(1), { env: { SET: 'x' }, directory });
  expect(resolved.objects).toEqual([[secret({ a: env('UNSET') })], [secret({ a: 'eA==' })]]);
});
