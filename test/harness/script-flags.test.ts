import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

function run(script: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...words], { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const scripts = {
  'test/faults/main.ts': 'npm run faults -- ',
  'test/fuzz/main.ts': 'npm run fuzz -- ',
  'test/reconcile/main.ts': 'npm run prove:reconcile -- ',
  'test/charts/main.ts': 'npm run charts -- ',
  'test/corpus/mutate.ts': 'npm run fuzz:codegen -- ',
  'test/vectors/main.ts': 'npm run vectors -- ',
  'test/vectors/record.ts': 'npx tsx test/vectors/record.ts REQUESTS ',
  'codegen/generate.ts': 'npm run generate -- ',
};

test.each(Object.entries(scripts))('%s says how it is used where it does not know a flag', (script, usage) => {
  const { status, stdout, stderr } = run(script, '--bogus');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^Unknown option '--bogus'/);
  expect(stderr).toContain(`\nUsage: ${usage}`);
  expect(stderr).not.toMatch(/^ {4}at /m);
});

describe('a campaign', () => {
  test('prints its usage for --help', () => {
    const { status, stdout, stderr } = run('test/reconcile/main.ts', '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: npm run prove:reconcile -- /);
  });

  test.each([
    ['--seed', 'one', '--seed takes a whole number, not one'],
    ['--only', 'wires', 'There is no campaign wires'],
    ['--strategy', 'static', 'There is no strategy static'],
  ])('does not begin with %s %s', (flag, value, says) => {
    const { status, stdout, stderr } = run('test/faults/main.ts', flag, value);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`${says}\nUsage: `);
  });
});
