import { expect, test } from 'vitest';
import { TestEnvironment } from '../../harness/test-environment.js';

const testEnvironment = await TestEnvironment.create('schedules');
const { cluster, namespace } = testEnvironment;

const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } } };
const create = (name: string, spec: object) =>
  cluster.create('author', { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace }, spec: { jobTemplate, ...spec } });

const noInteger = (text: string) => `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
const inSchedule = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';

test.each([
  ['*x * * * *', noInteger('*x')],
  ['1- * * * *', noInteger('')],
  ['0 sun * * *', noInteger('sun')],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['0 0 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['1-0 * * * *', 'beginning of range (1) beyond end of range (0): 1-0'],
  ['0 0 1 dec-jan *', 'beginning of range (12) beyond end of range (1): dec-jan'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['*/-1 * * * *', 'negative number (-1) not allowed: -1'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['1-2/3/4 * * * *', 'too many slashes: 1-2/3/4'],
  ['   ', 'expected exactly 5 fields, found 0: []'],
  ['@Hourly', 'unrecognized descriptor: @Hourly'],
  ['@every 1', 'failed to parse duration @every 1: time: missing unit in duration "1"'],
  ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
  ['@every 1d', 'failed to parse duration @every 1d: time: unknown unit "d" in duration "1d"'],
  ['TZ=UTC * * * * *', inSchedule],
])('the schedule %j is refused', async (schedule, text) => {
  await expect(create('refused', { schedule })).rejects.toMatchObject({
    status: 422,
    body: { message: `CronJob.batch "refused" is invalid: spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${text}` },
  });
});

test('a schedule with a wrong time zone is refused for both', async () => {
  const field = 'spec.schedule: Invalid value: "TZ=Nowhere * * * * *"';
  await expect(create('refused', { schedule: 'TZ=Nowhere * * * * *' })).rejects.toMatchObject({
    status: 422,
    body: {
      message: expect.stringContaining(`[${field}: provided bad location Nowhere: unknown time zone Nowhere, ${field}: ${inSchedule}]`),
    },
  });
});

test.each(['*-5 * * * *', '? */99 1,,2 JAN-mar sun/2', '@every 1h30m', '@daily', '\t5/10 * * * *\n'])(
  'the schedule %j is accepted',
  async (schedule) => {
    await create(`accepted-${Buffer.from(schedule).toString('hex')}`.slice(0, 40), { schedule });
  },
);

test.each(['utc', 'europe/berlin', 'CST', 'Nowhere'])('the time zone %s is refused', async (timeZone) => {
  await expect(create('refused', { schedule: '@daily', timeZone })).rejects.toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(`spec.timeZone: Invalid value: "${timeZone}": unknown time zone ${timeZone}`) },
  });
});
