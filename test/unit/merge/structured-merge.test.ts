import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { Replay, readCall } from '../../smd/replay.js';

/** Calls that structured-merge-diff's own tests make, with their results: recorded by `npm run campaign -- smd:record`. */
const directory = fileURLToPath(new URL('../../smd/recorded/', import.meta.url));
const replay = new Replay(JSON.parse(readFileSync(`${directory}schemas.json`, 'utf8')) as readonly string[]);
const calls = readFileSync(`${directory}calls.jsonl`, 'utf8').trim().split('\n').map(readCall);

test.each([...new Set(calls.map(({ op }) => op))])('%s', (op) => {
  const same = calls.filter((call) => call.op === op);
  const different = same.filter((call) => {
    const { actual, expected } = replay.run(call);
    return !isDeepStrictEqual(actual, expected);
  });
  expect(different).toEqual([]);
});

test('the recording holds the steps of every table', () => {
  const steps = calls.filter(({ op }) => op === 'apply' || op === 'update');
  expect(steps.length).toBeGreaterThan(350);
  expect(new Set(steps.map(({ test }) => test)).size).toBeGreaterThan(12);
});
