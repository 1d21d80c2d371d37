import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contentAt, copyWith, fileIn, freshDirectory, open, put, remove } from './directory.js';

/** A closed directory with a log of changes; `states` has, for each size of the log, what it then says. */
async function logOfChanges() {
  const directory = freshDirectory();
  const data = await open(directory);
  const name = fileIn(directory, 'log-0');
  const size = () => fs.statSync(path.join(directory, name)).size;
  const states = [{ size: size(), content: '1: ' }];
  const record = (content: string) => states.push({ size: size(), content });
  record(await put(data, 'a', 'one'));
  record(await put(data, 'b', 'two'));
  record(await put(data, 'a', 'drei – ü\n0123456789abcdef 00000002 {}\n'));
  record(await remove(data, 'b'));
  record(await put(data, 'c', 'four'));
  record(await remove(data, 'a'));
  data.close();
  return { directory, name, states, log: fs.readFileSync(path.join(directory, name)) };
}

describe('a log that ends anywhere', () => {
  test('has every change that it has wholly, none torn, and goes on from there', async () => {
    const { directory, name, states, log } = await logOfChanges();
    const first = states[1]?.size as number;
    for (let end = first; end <= log.length; end++) {
      const copy = copyWith(directory, name, log.subarray(0, end));
      const expected = states.findLast(({ size }) => size <= end)?.content as string;
      expect([end, await contentAt(copy)]).toEqual([end, expected]);
      if (end % 7 !== 0) continue;
      const data = await open(copy);
      const after = await put(data, 'next', 'x');
      data.close();
      expect(await contentAt(copy)).toBe(after);
      expect(Number.parseInt(after, 10)).toBe(Number.parseInt(expected, 10) + 1);
    }
  });

  test('and has any bytes after its end, as after a power failure', async () => {
    const { directory, name, states, log } = await logOfChanges();
    const before = states.at(-2) as { readonly size: number; readonly content: string };
    const rest = log.length - before.size;
    for (const bytes of [Buffer.alloc(rest), Buffer.alloc(8000, 'x'), Buffer.concat([Buffer.alloc(40), log.subarray(before.size + 40)])])
      expect(await contentAt(copyWith(directory, name, Buffer.concat([log.subarray(0, before.size), bytes])))).toBe(before.content);
  });

  test('the version does not go back when the last change was a deletion', async () => {
    const { directory, states } = await logOfChanges();
    expect(await contentAt(directory)).toBe(states.at(-1)?.content);
    expect(states.at(-1)?.content).toMatch(/^7: c=four$/);
  });
});

describe('damage', () => {
  test('a log that ends before its first change, which was there, is reported', async () => {
    const { directory, name, states, log } = await logOfChanges();
    const [header, first] = states.map(({ size }) => size) as [number, number];
    for (let end = 0; end < first; end++) {
      const copy = copyWith(directory, name, log.subarray(0, end));
      await expect(contentAt(copy), String(end)).rejects.toMatchObject({
        code: 'cluster-data-damaged',
        location: { file: path.join(copy, name) },
        message: `The data of the embedded API server is damaged from byte ${end < header ? 0 : header} on`,
      });
      expect(fs.statSync(path.join(copy, name)).size).toBe(end);
    }
  });

  test('a first change that was never there is left out, as after the end of the process in the first write', async () => {
    const { directory, name, states, log } = await logOfChanges();
    const [header, first] = states.map(({ size }) => size) as [number, number];
    const unmarked = Buffer.from('{"version":2,"files":"snapshot-*, log-*","isLogged":true}');
    for (const end of [header, header + 1, first - 1]) {
      const copy = copyWith(directory, name, log.subarray(0, end));
      fs.writeFileSync(path.join(copy, 'objects.json'), unmarked);
      expect(await contentAt(copy)).toBe('1: ');
    }
  });

  test('a flipped bit is reported with its file and offset, or is the end of the log', async () => {
    const { directory, name, states, log } = await logOfChanges();
    const last = states.at(-2) as { readonly size: number; readonly content: string };
    for (let at = 0; at < log.length; at++) {
      const flipped = Buffer.from(log);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      const copy = copyWith(directory, name, flipped);
      const start = at < (states[0]?.size as number) ? 0 : states.findLast(({ size }) => size <= at)?.size;
      if (at >= last.size) expect(await contentAt(copy)).toBe(last.content);
      else {
        await expect(contentAt(copy), `bit of byte ${at}`).rejects.toMatchObject({
          code: 'cluster-data-damaged',
          location: { file: path.join(copy, name) },
          message: `The data of the embedded API server is damaged from byte ${start} on`,
        });
      }
      fs.rmSync(copy, { recursive: true });
    }
  });

  test('what it says to do helps', async () => {
    const { directory, name, states, log } = await logOfChanges();
    const { size, content } = states[3] as { readonly size: number; readonly content: string };
    const flipped = Buffer.from(log);
    flipped[size + 30] = 0;
    const copy = copyWith(directory, name, flipped);
    const { next } = await contentAt(copy).catch((error) => error);
    expect(next).toBe(
      `Restore the directory from a copy, or remove it to start with an empty server. To lose this change and all later ones, run \`truncate -s ${size} ${path.join(copy, name)}\`.`,
    );
    fs.truncateSync(path.join(copy, name), size);
    expect(await contentAt(copy)).toBe(content);
  });

  test('a missing segment or snapshot is reported', async () => {
    const directory = freshDirectory();
    const data = await open(directory, { compactionSize: 1 });
    for (let index = 0; index < 20; index++) await put(data, 'a', String(index));
    await expect.poll(() => fs.readdirSync(directory).filter((name) => name.startsWith('snapshot-')).length).toBe(1);
    data.close();
    const without = copyWith(directory, 'note', Buffer.from(''));
    fs.rmSync(path.join(without, fileIn(without, 'snapshot-')));
    await expect(contentAt(without)).rejects.toMatchObject({
      code: 'cluster-data-damaged',
      message: expect.stringMatching(/the changes from version 2 to \d+ are missing/),
    });
  });
});
