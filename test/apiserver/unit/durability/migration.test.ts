import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configMap, contentAt, fileIn, freshDirectory, open, put } from './directory.js';

const old = (value: string) =>
  JSON.stringify({ version: 1, revision: 41, objects: [{ resource: '/configmaps', object: configMap('a', value) }] });

function oldDirectory(): string {
  const directory = freshDirectory();
  fs.mkdirSync(directory);
  fs.writeFileSync(path.join(directory, 'objects.json'), old('kept'));
  return directory;
}

test('the objects of version 1 are migrated at the first start', async () => {
  const directory = oldDirectory();
  const data = await open(directory);
  expect(await put(data, 'b', 'new')).toBe('42: a=kept b=new');
  data.close();
  expect(await contentAt(directory)).toBe('42: a=kept b=new');
  expect(fs.readdirSync(directory).sort()).toEqual(['log-0000000000000041', 'objects.json', 'snapshot-0000000000000041']);
});

test('an interrupted migration begins again', async () => {
  const directory = oldDirectory();
  (await open(directory)).close();
  fs.rmSync(path.join(directory, fileIn(directory, 'log-0')));
  fs.writeFileSync(path.join(directory, 'objects.json'), old('kept'));
  fs.writeFileSync(path.join(directory, 'snapshot-0000000000000041'), 'half');
  fs.writeFileSync(path.join(directory, 'snapshot-0000000000000041.abcd.tmp'), 'half');
  expect(await contentAt(directory)).toBe('41: a=kept');
  expect(fs.readdirSync(directory).sort()).toEqual(['log-0000000000000041', 'objects.json', 'snapshot-0000000000000041']);
});

test('objects of version 1 beside a log are not guessed at', async () => {
  const directory = oldDirectory();
  (await open(directory)).close();
  fs.writeFileSync(path.join(directory, 'objects.json'), old('kept'));
  await expect(contentAt(directory)).rejects.toMatchObject({
    code: 'cluster-data-damaged',
    message: expect.stringContaining('older version'),
  });
});

test('a Fieldwise of version 1 and one of a later version refuse what they do not know', async () => {
  const directory = freshDirectory();
  (await open(directory)).close();
  const marker = JSON.parse(fs.readFileSync(path.join(directory, 'objects.json'), 'utf8'));
  // Version 1 reads `version === 1 && Array.isArray(objects)`, and says `cluster-data-damaged` otherwise.
  expect([marker.version, marker.objects]).toEqual([2, undefined]);
  for (const text of ['{"version":3}', '', '[]', 'null', '{"version":1}']) {
    fs.writeFileSync(path.join(directory, 'objects.json'), text);
    await expect(contentAt(directory)).rejects.toMatchObject({ code: 'cluster-data-damaged' });
  }
});
