import { expect, test } from 'vitest';
import { junit } from '../../../../../src/cli/render/formats/junit.js';
import { markdown } from '../../../../../src/cli/render/formats/markdown.js';
import { sarif } from '../../../../../src/cli/render/formats/sarif.js';
import { emptyReport } from '../../../../../src/engine/report/events.js';
import { planned, recordedRun } from './sample-run.js';

const image = '.spec.template.spec.containers[name="web"].image';
const { declaredBy, ...reference } = planned();

/** A deploy with an object whose image another stack has set, and whose container crashes. */
const run = recordedRun(
  [
    {
      ...emptyReport({ ...reference, object: 'Deployment default/web' }, declaredBy),
      event: 'object',
      result: 'updated',
      readiness: {
        state: 'failed',
        reason: 'CrashLoopBackOff',
        message: 'container web ends with exit code 7, 3 restarts',
        cause: {
          cause: 'crash',
          certain: true,
          message: 'container web ends with exit code 7, 3 restarts',
          object: 'Pod default/web-1',
          container: 'web',
          exitCode: 7,
          restarts: 3,
          event: { reason: 'BackOff', message: 'Back-off </details> restarting', count: 4 },
          log: ['starting', 'no `database` ]]> found'],
          source: { field: image, stack: 'images', declaredBy: [{ construct: 'shop/images/share', source: 'images.ts:9:3' }] },
        },
        notLookedAt: ['events of pods: forbidden'],
      },
    },
  ],
  { verb: 'deploy' },
);

test('Markdown shows the cause of an object that is not ready openly, and names the line that declared the field', () => {
  const text = markdown([run]);
  const [open = ''] = text.split('<details>');
  expect(open).toContain('in stack `web`, `images.ts:9`');
  for (const line of [
    'container web ends with exit code 7, 3 restarts.',
    `\`${image}\` is declared by \`shop/images/share (images.ts:9:3)\` in stack \`images\``,
    'event of `Pod default/web-1`: `BackOff: Back-off </details> restarting`',
    'log: `starting`',
    'log: ``no `database` ]]> found``',
    'not looked at: `events of pods: forbidden`',
  ]) {
    expect(open).toContain(line);
  }
});

test('JUnit has the same in the failure, at that line', () => {
  const text = junit([run]);
  expect(text).toContain('file="images.ts" line="9"');
  const failure = text.slice(text.indexOf('<failure'), text.indexOf('</failure>'));
  for (const line of ['exit code 7', 'is declared by shop/images/share', 'event of Pod default/web-1', 'log: starting', 'not looked at']) {
    expect(failure).toContain(line);
  }
});

test('SARIF points at that line', () => {
  const { runs } = JSON.parse(sarif([run], '1'));
  expect(runs[0].results).toMatchObject([
    {
      ruleId: 'not-ready',
      level: 'error',
      locations: [{ physicalLocation: { artifactLocation: { uri: 'images.ts' }, region: { startLine: 9, startColumn: 3 } } }],
    },
  ]);
});
