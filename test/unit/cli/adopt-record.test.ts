import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { adoptionHost } from '../../../src/cli/commands/adopt-flags.js';

type Words = Parameters<typeof adoptionHost>;

test('the record of an adoption is not written through a link that a clone brought', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fieldwise-record-'));
  const outside = mkdtempSync(join(tmpdir(), 'fieldwise-outside-'));
  onTestFinished(() => {
    for (const made of [directory, outside]) rmSync(made, { recursive: true });
  });
  symlinkSync(outside, join(directory, '.fieldwise'));
  const printed: string[] = [];
  const host = { cwd: directory, stdout: (text: string) => void printed.push(text), signal: new AbortController().signal };
  const adoption = (record?: string) =>
    adoptionHost(
      (record === undefined ? {} : { outputFile: [{ format: 'record', file: record }] }) as unknown as Words[0],
      { directory, inventory: { namespace: 'default' } } as Words[1],
      host as unknown as Words[2],
    );
  const made = { time: '2026-01-01T00:00:00Z', objects: [] } as unknown as Parameters<ReturnType<typeof adoption>['record']>[0];
  await expect(adoption().record(made)).rejects.toMatchObject({ code: 'record-not-written' });
  expect(readdirSync(outside)).toEqual([]);
  await adoption('record.json').record(made);
  expect([readdirSync(directory).sort(), printed]).toEqual([
    ['.fieldwise', 'record.json'],
    [`record: ${join(directory, 'record.json')}\n`],
  ]);
});
