import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { loadProgram } from '../../../src/cli/program/load-program.js';
import type { ProgramOptions } from '../../../src/cli/program/program-options.js';
import { synthesize } from '../../../src/cli/program/synthesize.js';
import { Project } from '../../harness/project.js';
import { problemsOf, runProgram } from '../../programs/run-program.js';
import { ours, prelude, programs } from '../../programs/table.js';

const projects: Project[] = [];
afterEach(() => {
  for (const { directory } of projects.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function project(files: Readonly<Record<string, string>>): Project {
  const made = new Project({ 'package.json': '{"type":"module"}', 'fieldwise.yaml': 'name: table\n', ...files }, {});
  projects.push(made);
  return made;
}

/** Runs a program in this process, which goes on. */
async function run(text: string, after?: (milliseconds: number, callback: () => void) => () => void) {
  const { directory: cwd } = project({ 'lib.mjs': ours, 'late.mjs': `export const name = 'two';`, 'main.mjs': prelude + text });
  const printed: string[] = [];
  const stderr = (line: string) => void printed.push(line);
  const host = { cwd, env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: cwd }, stderr };
  const ending = await synthesize({ host: { ...host, ...(after ? { after } : {}) }, flags: { app: 'main.mjs' } }).then(
    ({ manifest }) => manifest.stacks.flatMap(({ intents }) => intents.map(({ name }) => name)).sort(),
    (error: { code: string; describe(): string }) => error,
  );
  return { ending, stderr: printed.join('') };
}

describe('programs beside plain node', () => {
  const sample = [
    'a forgotten await, synth at the end of main',
    'main().then(() => process.exit(0)), with a server that lives on',
    'synth twice',
  ];
  it.each(programs.filter(({ name }) => sample.includes(name)))('$name', async (program) => {
    expect(problemsOf(program, await runProgram(program))).toEqual([]);
  });

  it.each(programs)('in a process of others: $name', async ({ text, module }) => {
    const { ending } = await run(text);
    expect(Array.isArray(ending) ? ending : (ending as { code: string }).code).toEqual(module);
  });
});

describe('a program that is not over', () => {
  /** The program says when so much time has passed. */
  const at = (limit: number) => (milliseconds: number, callback: () => void) => {
    if (milliseconds === limit) (globalThis as { timePasses?: () => void }).timePasses = callback;
    return () => {};
  };

  it('is told after 5 s, with what it waits for', async () => {
    const { ending, stderr } = await run("own('one'); setTimeout(() => own('two'), 50); timePasses();", at(5_000));
    expect(ending).toEqual(['one', 'two']);
    expect(stderr).toMatch(
      /^The program is not over after 5 s; it waits for a timer \(setTimeout or setInterval\).*\. Nothing is deployed/,
    );
    expect(stderr).not.toContain('process.exit(0)');
  });

  it('is told how to end where it has called synth', async () => {
    const { stderr } = await run(
      "import { createServer } from 'node:net'; own('one'); app.synth(); const server = createServer().listen(0, () => { timePasses(); server.close(); });",
      at(5_000),
    );
    expect(stderr).toMatch(
      /waits for .*a server at port \d+.*It has called `synth\(\)`.*`process\.exit\(0\)` after the last `synth\(\)` ends it/,
    );
  });

  it.each([
    ['npx ts-node main.ts', 'ts-node compiles the program first, which may take longer. `-a main.ts` runs it without ts-node. '],
    [
      "npx ts-node --files 'src/main.mts'",
      'ts-node compiles the program first, which may take longer. `-a src/main.mts` runs it without ts-node. ',
    ],
    ['tsc -p . && node dist/main.js', 'tsc compiles the program first, which may take longer. '],
    ['node main.ts', ''],
    ['./my-ts-node main.ts', ''],
  ])('is told that its compiler may be slow: %s', async (app, cause) => {
    const { directory: cwd } = project({ 'main.ts': '', 'src/main.mts': '' });
    const printed: string[] = [];
    const notice = `The program \`true # ${app}\` is not over after 5 s. ${cause}Nothing is deployed or shown before it is over, as \`node\` would end.\n`;
    const options = {
      app: `true # ${app}`,
      cwd,
      outdir: `${cwd}/out`,
      env: process.env,
      stderr: (text: string) => void printed.push(text),
    };
    const after = (milliseconds: number, callback: () => void) => {
      if (milliseconds === 5_000) callback();
      return () => {};
    };
    await expect(loadProgram({ ...options, after, timeoutSeconds: 600 } as ProgramOptions)).rejects.toMatchObject({
      code: 'program-without-assembly',
    });
    expect(printed.join('')).toBe(notice);
  });

  it('is an error after programTimeout', async () => {
    const { ending } = await run("own('one'); app.synth(); globalThis.left = setInterval(() => {}, 1000); timePasses();", at(600_000));
    clearInterval((globalThis as { left?: NodeJS.Timeout }).left);
    expect(ending).toMatchObject({ code: 'program-failed' });
    expect((ending as { describe(): string }).describe()).toMatch(/was not over after 600 s; it waits for a timer.*`programTimeout`/);
  });
});

describe('the line of the error', () => {
  it.each([
    ["own('one');\nprocess.exit(0);", 'main.mjs:7', 'The program called process.exit(0) before `synth()`'],
    ["own('one'); app.synth();\nprocess.exit(3);", 'main.mjs:7', 'The program called process.exit(3)'],
    ["Promise.resolve().then(() => {\n  throw new TypeError('no');\n});", 'main.mjs:7', 'The program failed: TypeError: no'],
    ["own('one');\nawait new Promise(() => {});", 'main.mjs:7', 'A top-level await never settles'],
    ['await null;\nawait new Promise(() => {});\nawait null;', 'main.mjs:7', 'A top-level await never settles'],
    [
      "own('one'); app.synth();\nstack.own({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } });",
      'main.mjs:7',
      'after the last `synth()`',
    ],
    ["app.synth();\nprocess.on('exit', () => newStack(app, 'late'));", 'lib.mjs:3', 'after the program was over'],
  ])('%s', async (text, source, message) => {
    const { ending } = await run(text);
    expect(ending).toMatchObject({ location: { source: expect.stringMatching(new RegExp(`^${source}(:|$)`)) } });
    expect((ending as { describe(): string }).describe()).toContain(message);
  });
});
