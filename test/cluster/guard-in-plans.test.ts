import { expect, test } from 'vitest';
import { configMapHelpers, deployed } from '../harness/config-map-helpers.js';
import { eventsOf } from '../harness/events.js';
import { own, share } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

// A plan knows whose guard a policy is: that of its own stack decides by nothing but who asks.

const testEnvironment = await TestEnvironment.create('guard-in-plans');
const { config, edit } = configMapHelpers(testEnvironment);

test('the guard of the stack that is planned is no risk, that of another stack is', async () => {
  const environment = { FIELDWISE_NAMESPACE: testEnvironment.namespace };
  const project = testEnvironment.program(
    { web: [own(config('guarded', { a: '1' }))], other: [share(config('guarded', { b: '1' }))] },
    { environment },
  );
  await deployed(project);
  const guard = await project.run(['guard', 'web', '--deployer', 'alice', '--break-glass', 'admins', '--deny']);
  expect(guard.exitCode, guard.stderr).toBe(0);
  project.write({ 'policies/guard.yaml': guard.stdout });

  const judged = async () => {
    const { events, stderr } = await project.run(['diff', '--read-only', '-o', 'json', '--admission', 'policies']);
    const plans = eventsOf(events, 'plan').filter(({ action }) => action !== 'unchanged');
    expect(plans, stderr).toHaveLength(1);
    return plans.map(({ stack, judgments = [] }) => [stack, judgments.map(({ verdict, message }) => `${verdict}: ${message}`)]);
  };
  edit(project, { web: [own(config('guarded', { a: '2' }))], other: [share(config('guarded', { b: '1' }))] });
  expect(await judged()).toEqual([['web', []]]);
  edit(project, { web: [own(config('guarded', { a: '1' }))], other: [share(config('guarded', { a: '3', b: '1' }))] });
  expect(await judged()).toEqual([['other', [expect.stringContaining('not-evaluated: it reads request.userInfo')]]]);
});
