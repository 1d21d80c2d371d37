import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';

/** The end of a script that calls `process.exit`. */
class Exit extends Error {
  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs a script in this process, where it shares what is loaded: a process of its own loads up to two seconds for one line of text. */
async function run(script: string, ...words: string[]) {
  let stdout = '';
  let stderr = '';
  vi.spyOn(process, 'argv', 'get').mockReturnValue([process.execPath, script, ...words]);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  vi.spyOn(console, 'error').mockImplementation((text) => {
    stderr += `${text}\n`;
  });
  vi.spyOn(process, 'exit').mockImplementation((status) => {
    throw new Exit(Number(status ?? process.exitCode ?? 0));
  });
  try {
    await import(/* @vite-ignore */ `../../${script}?${words.join('&')}`);
    return { status: Number(process.exitCode ?? 0), stdout, stderr };
  } catch (error) {
    if (error instanceof Exit) return { status: error.status, stdout, stderr };
    return { status: 1, stdout, stderr: stderr + inspect(error) };
  }
}

const scripts = {
  'test/concurrency/main.ts': 'npm run campaign -- concurrency ',
  'test/fuzz/main.ts': 'npm run campaign -- fuzz ',
  'test/reconcile/main.ts': 'npm run campaign -- prove:reconcile ',
  'test/charts/main.ts': 'npm run campaign -- charts ',
  'test/corpus/mutate.ts': 'npm run campaign -- fuzz:codegen ',
  'test/vectors/main.ts': 'npm run campaign -- vectors ',
  'test/vectors/record.ts': 'npx tsx test/vectors/record.ts REQUESTS ',
  'codegen/generate.ts': 'npm run generate -- ',
};

test.each(Object.entries(scripts))('%s says how it is used where it does not know a flag', async (script, usage) => {
  const { status, stdout, stderr } = await run(script, '--bogus');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^Unknown option '--bogus'/);
  expect(stderr).toContain(`\nUsage: ${usage}`);
  expect(stderr).not.toMatch(/^ {4}at /m);
});

describe('a campaign', () => {
  test('prints its usage for --help', async () => {
    const { status, stdout, stderr } = await run('test/reconcile/main.ts', '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: npm run campaign -- prove:reconcile /);
  });

  test.each([
    ['--seed', 'one', '--seed takes a whole number, not one'],
    ['--cluster', 'real', 'There is no cluster real'],
    ['--strategy', 'static', 'There is no strategy static'],
  ])('does not begin with %s %s', async (flag, value, says) => {
    const { status, stdout, stderr } = await run('test/concurrency/main.ts', flag, value);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(`${says}\nUsage: `);
  });
});
