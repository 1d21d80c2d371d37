import { describe, expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('rules');

const { config } = configMapHelpers(testEnvironment);
const ref = (name: string) => testEnvironment.ref('v1', 'ConfigMap', name);
const dataOf = async (name: string) => (await testEnvironment.cluster.get(ref(name))).data;

const rules = `import { deny, warn } from 'fieldwise/rules';
export default [
  deny((change) => change.takesFrom('them'), { name: 'not-from-them', message: 'ask them first' }),
  warn((change) => change.changes('.data.size'), { name: 'size', message: 'the size changes' }),
];
`;

/** A project that is deployed, and whose next deploy would take a field from others. */
async function contested(name: string, files: Record<string, string> = { 'rules.ts': rules }) {
  const project = testEnvironment.program({ main: [own(config(name, { color: 'blue', size: 'small' }))] });
  expect((await project.deploy()).exitCode).toBe(0);
  await testEnvironment.cluster.apply('them', { ...ref(name), data: { color: 'red' } }, { force: true });
  project.write({ ...files, 'main.ts': testEnvironment.text({ main: [own(config(name, { color: 'blue', size: 'large' }))] }) });
  return project;
}

describe('rules over a plan', () => {
  test('diff shows what a rule denies and warns of, and fails', async () => {
    const project = await contested('shown');
    const { exitCode, stdout } = await project.run([
      'diff',
      '--rules',
      'rules.ts',
      '--output-file',
      'json=plan.json',
      '--output-file',
      'sarif=plan.sarif',
    ]);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/blocked .*shown/);
    expect(stdout).toContain('A rule refuses this change: not-from-them: ask them first');
    expect(stdout).toContain('warning of rule size: the size changes.');
    const [planned] = project
      .read('plan.json')
      .split('\n')
      .map((line) => JSON.parse(line || '{}'))
      .filter(({ event }) => event === 'plan');
    expect(planned.judgments).toEqual([
      { rule: 'not-from-them', verdict: 'deny', message: 'ask them first', field: '.data.color' },
      { rule: 'size', verdict: 'warn', message: 'the size changes', field: '.data.size' },
    ]);
    const [run] = JSON.parse(project.read('plan.sarif')).runs;
    expect(run.results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level])).toEqual(
      expect.arrayContaining([
        ['rule-denied', 'error'],
        ['rule-warned', 'warning'],
      ]),
    );
  });

  test('deploy changes nothing that a rule denies, and nothing else of the run', async () => {
    const project = await contested('denied');
    const { exitCode, stderr } = await project.run(['deploy', '--rules', 'rules.ts', '--yes']);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('Rules refuse 1 object, so nothing was changed');
    expect(stderr).toContain('not-from-them: ask them first');
    expect(await dataOf('denied')).toEqual({ color: 'red', size: 'small' });
  });

  test('a plan in Markdown says so', async () => {
    const other = config('denied-other', { a: '1' });
    const project = testEnvironment.program({ main: [own(config('denied-too', { color: 'blue' })), own(other)] });
    project.write({
      'rules.ts': "import { deny } from 'fieldwise/rules'; export default [deny((change) => change.name === 'denied-too')];",
    });
    const { stdout } = await project.run(['diff', '--rules', 'rules.ts', '-o', 'markdown']);
    expect(stdout).toContain('A deploy changes nothing, not even the objects that are not blocked');
    expect((await project.run(['deploy', '--rules', 'rules.ts', '--yes'])).exitCode).toBe(4);
    expect(await testEnvironment.cluster.find(ref('denied-other'))).toBeUndefined();
  });

  test('deploy with a saved plan is judged, too', async () => {
    const project = await contested('saved');
    expect((await project.run(['diff', '--output-file', 'plan=plan.json'])).exitCode).toBe(0);
    const { exitCode } = await project.run(['deploy', '--rules', 'rules.ts', '--plan', 'plan.json']);
    expect(exitCode).toBe(4);
    expect(await dataOf('saved')).toEqual({ color: 'red', size: 'small' });
  });

  test('the configuration names them, and deploy goes on where none denies', async () => {
    const allowing = rules.replace("takesFrom('them')", "takesFrom('somebody-else')");
    const project = await contested('allowed', { 'rules.ts': allowing });
    const before = project.read('fieldwise.yaml');
    project.write({ 'fieldwise.yaml': `${before}rules: rules.ts\n` });
    const { exitCode, stderr } = await project.run(['deploy', '--yes']);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('size: the size changes');
    expect(await dataOf('allowed')).toEqual({ color: 'blue', size: 'large' });
  });

  test.each([
    ['path', "deny((change) => change.changes('data.color'))"],
    ['stack', "onlyStack('gateway', 'data.color')"],
    ['pattern', "deny((change) => change.takesFrom('th*'))"],
  ])('a path without its dot and a pattern deny like others: %s', async (name, rule) => {
    const project = await contested(`dotless-${name}`, {
      'rules.ts': `import { deny, onlyStack } from 'fieldwise/rules';\nexport default [${rule}];`,
    });
    const { exitCode, stdout } = await project.run(['diff', '--rules', 'rules.ts']);
    expect(exitCode, stdout).toBe(4);
    expect(stdout).toContain('A rule refuses this change');
  });

  test.each([
    ['no module', {}, /There is no such file.*Correct the path of `--rules`/],
    ['no list', { 'rules.ts': 'export default 1;' }, /exports no list of rules/],
    ['no rule', { 'rules.ts': 'export default [{}];' }, /Item 1 of the list is not a rule/],
    ['a syntax error', { 'rules.ts': 'export default [' }, /rules cannot be loaded/],
    [
      'a rule that throws',
      { 'rules.ts': "import { deny } from 'fieldwise/rules'; export default [deny((c) => (c as any).no.such)];" },
      /"rule 1" threw TypeError/,
    ],
    [
      'a path with an error of syntax',
      { 'rules.ts': "import { deny } from 'fieldwise/rules'; export default [deny((c) => c.changes('data['))];" },
      /"rule 1" threw FieldwiseError: The path has the value "data\["\. Pass a path such as/,
    ],
    [
      'a rule of the package with such a path',
      { 'rules.ts': "import { onlyStack } from 'fieldwise/rules'; export default [onlyStack('gateway', '.data[')];" },
      /rules cannot be loaded: FieldwiseError: The path has the value "\.data\["\. Pass a path such as/,
    ],
    [
      'a misspelt option',
      { 'rules.ts': "import { pinnedImages } from 'fieldwise/rules'; export default [pinnedImages({ digst: true } as never)];" },
      /rules cannot be loaded: FieldwiseError: There is no option `digst`.*rules\.ts:1/,
    ],
    [
      'a forgotten return',
      { 'rules.ts': "import { deny } from 'fieldwise/rules'; export default [deny((c) => { c.changes('.data.color'); })];" },
      /"rule 1" answered undefined, as a function without `return` does, or a misspelt property of the change; `false` says that it does not object/,
    ],
  ])('%s: deploy changes nothing', async (what, files, message) => {
    const name = `wrong-${what.replaceAll(' ', '-')}`;
    const project = await contested(name, files);
    const { exitCode, stderr } = await project.run(['deploy', '--rules', 'rules.ts', '--yes']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await dataOf(name)).toEqual({ color: 'red', size: 'small' });
  });
});
