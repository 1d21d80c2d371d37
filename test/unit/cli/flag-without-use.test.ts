import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { fieldwise } from '../../harness/fieldwise.js';

test.each([
  ['diff --snapshot cluster.json', '`--snapshot` has no effect without `--offline`'],
  ['drift --contention-limit 3', '`--contention-limit` has no effect without `--repair`'],
  [`deploy --plan-digest ${'a'.repeat(64)}`, '`--plan-digest` has no effect without `--plan`'],
  ['diff --risky --all', '`--risky` has no effect with `--all`'],
  ['diff --risky -o json', '`--risky` has no effect with `-o json`'],
  ['drift --yes', '`--yes` has no effect without `--repair`'],
  ['drift --wait-lock', '`--wait-lock` has no effect without `--repair`'],
])('fieldwise %s is refused', async (command, message) => {
  const { exitCode, stderr } = await fieldwise(command.split(' '), { cwd: tmpdir() });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).toContain('[flag-without-use]');
});
