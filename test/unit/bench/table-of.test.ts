import { expect, test } from 'vitest';
import type { PeerTool } from '../../bench/peers/peer-tool.js';
import { type Measurement, tableOf } from '../../bench/peers/table-of.js';
import { rowsOfGroups } from '../../bench/rows.js';
import { markdownTable, textTable } from '../../bench/table.js';

const tool = (id: string, role: PeerTool['role'], more: Partial<PeerTool> = {}): PeerTool => ({
  id,
  title: id,
  role,
  rows: rowsOfGroups.peers,
  prepare: () => Promise.reject(new Error('not measured here')),
  ...more,
});
const ours = tool('fieldwise', 'fieldwise');
const fast = tool('fast', 'peer');
const small = tool('small', 'peer', { incomparable: { preview: 'only renders' } });
const floor = tool('floor', 'floor');

const turn = (
  measured: PeerTool,
  row: Measurement['row'],
  seconds: number,
  cpu: number,
  megabytes: number,
  requests: number,
): Measurement => ({
  tool: measured,
  row,
  cost: { seconds, cpu, peak: megabytes * 1e6 },
  requests,
  load: 1,
});

test('medians beside the best peer of each quantity, and the list of what is lost', () => {
  const measurements = [
    ...[3, 1, 2].map((seconds) => turn(ours, 'create', seconds, 1, 100, 1010)),
    turn(fast, 'create', 4, 2, 80, 2000),
    turn(small, 'create', 5, 3, 40, 1000),
    turn(floor, 'create', 1, 0.5, 50, 1000),
    turn(ours, 'preview', 2, 1, 60, 20),
    turn(fast, 'preview', 4, 2, 80, 2000),
    turn(small, 'preview', 1, 0.5, 40, 6),
  ];
  const { rows, notes } = tableOf([ours, fast, small, floor], measurements, []);
  expect(rows).toEqual([
    ['`create`', 'fieldwise', '2.00 s (0.50×)', '1.00 s (0.50×)', '100 MB (2.50×, 2.00× the floor)', '1,010 (1.01×)', '1.0'],
    ['`create`', 'fast', '4.00 s', '2.00 s', '80 MB', '2,000', '1.0'],
    ['`create`', 'small', '5.00 s', '3.00 s', '40 MB', '1,000', '1.0'],
    ['`create`', 'floor', '1.00 s', '0.50 s', '50 MB', '1,000', '1.0'],
    ['`preview`', 'fieldwise', '2.00 s (0.50×)', '1.00 s (0.50×)', '60 MB (0.75×)', '20 (0.01×)', '1.0'],
    ['`preview`', 'fast', '4.00 s', '2.00 s', '80 MB', '2,000', '1.0'],
    ['`preview`', 'small (only renders)', '1.00 s', '0.50 s', '40 MB', '6', '1.0'],
  ]);
  expect(notes).toEqual(['Fieldwise loses: `create` peak memory (100 MB; small 40 MB), `create` requests (1,010; small 1,000).']);
});

test('Fieldwise alone has no ratios', () => {
  const { rows, notes } = tableOf([ours], [turn(ours, 'destroy', 1, 1, 50, 100)], []);
  expect(rows).toEqual([['`destroy`', 'fieldwise', '1.00 s', '1.00 s', '50 MB', '100', '1.0']]);
  expect(notes).toEqual(['Fieldwise loses nothing here.']);
});

test('a table that was not measured says why', () => {
  const skipped = { caption: ['Skipped: no Go.'], columns: [], rows: [] };
  expect(markdownTable(skipped)).toBe('Skipped: no Go.\n');
  expect(textTable(skipped)).toBe('  Skipped: no Go.\n');
});
