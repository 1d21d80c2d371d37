import { expect, test } from 'vitest';
import { configMapHelpers } from '../harness/config-map-helpers.js';
import { own } from '../harness/program-text.js';
import { TestEnvironment } from '../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('clock');
const { config } = configMapHelpers(testEnvironment);
const day = 86_400_000; // milliseconds

test('a clock that differs from the server by days is named once in a deploy, and fails the check of doctor', async () => {
  const proxy = await testEnvironment.proxy();
  const project = testEnvironment.program({ main: [own(config('clock'))] }, { kubeconfig: proxy.kubeconfig });
  const warned = async () => {
    const report = await project.deploy();
    expect(report.exitCode, String(report)).toBe(0);
    return report.result.events.filter(({ code }) => code === 'clock-differs').map(({ message }) => message);
  };
  expect(await warned()).toEqual([]);
  const isOk = async () => {
    const { events, exitCode } = await project.run(['doctor', '-o', 'json']);
    return { exitCode, ...events.find(({ check }) => check === 'clock') };
  };
  expect(await isOk()).toMatchObject({ exitCode: 0, ok: true, detail: 'as that of the server' });
  proxy.clockAheadMs = -3 * day;
  expect(await warned()).toEqual([expect.stringMatching(/^The clock of this machine is \d days ahead/)]);
  expect(await isOk()).toMatchObject({ exitCode: 4, ok: false, detail: expect.stringMatching(/is \d days ahead/) });
  proxy.clockAheadMs = day;
  expect(await warned()).toEqual([expect.stringMatching(/^The clock of this machine is (23 hours|1 day) behind/)]);
});
