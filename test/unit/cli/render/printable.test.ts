import { describe, expect, test } from 'vitest';
import { driftRenderer } from '../../../../src/cli/render/drift-renderer.js';
import { withoutJobCommands } from '../../../../src/cli/render/job-commands.js';
import { ownersRenderer } from '../../../../src/cli/render/owners-renderer.js';
import { planRenderer } from '../../../../src/cli/render/plan-renderer.js';
import { linesText, onOneLine, printable, printableOutput, quoted } from '../../../../src/cli/render/printable.js';
import { runRenderer } from '../../../../src/cli/render/run-renderer.js';
import { statusRenderer } from '../../../../src/cli/render/status-renderer.js';

const hostile = 'a\u001b[2J\u001b]0;title\u0007\r\u0000\u007f\u009b31m\u202eevil\u2066\u2028\u2029\u200f\ufeff\ud800z';
const shown =
  'a<U+001B>[2J<U+001B>]0;title<U+0007><U+000D><U+0000><U+007F><U+009B>31m<U+202E>evil<U+2066><U+2028><U+2029><U+200F><U+FEFF><U+D800>z';

test('control characters are shown by their numbers; all other text, emoji and right-to-left letters too, stays', () => {
  expect(printable(hostile)).toBe(shown);
  const plain = 'Grüße, שלום, 日本\t👩‍💻 ✓ …\n';
  expect(printable(plain)).toBe(plain);
});

test('a line feed of a quoted text never begins a line of ours', () => {
  expect(linesText(['first', 'said: one\ndone: 5 created'])).toBe('first\nsaid: one\n      | done: 5 created\n');
  expect(onOneLine('one\r\n  two')).toBe('one<U+000D> two');
  expect(quoted({ message: 'one\ntwo\n', list: ['a\nb'] })).toEqual({ message: 'one\n      | two', list: ['a\n      | b'] });
});

test('lines of JSON keep their data', () => {
  const event = { event: 'object', message: hostile, '\u202ename': 1 };
  const line = printableOutput(`${JSON.stringify(event)}\n`);
  expect(JSON.parse(line)).toEqual(event);
  expect(printable(line)).toBe(line);
});

describe('commands of a CI system', () => {
  test.each([
    ['a workflow command', 'a\n::error::b\n', 'a\n<U+003A>:error::b\n'],
    ['a workflow command after blanks', '   \t::set-output name=a::b', '   \t<U+003A>:set-output name=a::b'],
    ['an older one, anywhere', '      -x ##[set-output name=a;]b', '      -x <U+0023>#[set-output name=a;]b'],
    ['one of Azure Pipelines', 'a ##vso[task.setvariable]b', 'a <U+0023>#vso[task.setvariable]b'],
    ['colons in a line', 'a::b ## c # [d]', 'a::b ## c # [d]'],
  ])('%s', (_, text, expected) => {
    expect(withoutJobCommands(text)).toBe(expected);
  });

  test('JSON keeps its data', () => {
    const event = { message: '##[error]a ##VSO[b]', '##[x]': ['::c'] };
    const line = withoutJobCommands(`${JSON.stringify(event)}\n`);
    expect(line).not.toMatch(/##(?:vso)?\[/i);
    expect(JSON.parse(line)).toEqual(event);
  });
});

describe('each renderer', () => {
  const text = `${hostile}\ndone: forged`;
  const owner = { manager: text, operation: 'Update' as const, subresource: text, time: text };
  const place = { stack: text, manager: text, object: text, apiVersion: 'v1', kind: 'ConfigMap', name: text, lifecycle: 'own' as const };
  const error = { code: 'server-error', message: text, next: text };
  const declaredBy = [{ construct: text, source: text }];
  const conflict = { field: text, from: text, operation: 'Apply' as const, oldValue: text, newValue: { [text]: text } };
  const drifted = { field: text, drift: 'changed' as const, declared: text, live: text, owners: [owner] };

  function rendered(render: (host: never) => (event: never) => void, events: readonly object[], columns?: number): string {
    let all = '';
    const write = (part: string) => {
      all += part;
    };
    const raw = { stdout: write, stderr: write };
    const renderer = render({ ...raw, raw, colour: false, ...(columns === undefined ? {} : { columns }) } as never);
    for (const event of events) renderer(event as never);
    return all;
  }

  const runEvents = [
    { event: 'started', verb: 'deploy', app: text, instance: text, stacks: [text], server: text, objects: 1 },
    { event: 'waiting', stack: text, object: text, for: 'object', seconds: 1 },
    { event: 'retrying', method: 'GET', path: text, attempt: 1, reason: text, seconds: 1 },
    { event: 'waiting-for-lock', stack: text, holder: text, since: text, timeoutSeconds: 1, leaseDurationSeconds: 1 },
    { event: 'sent-in-full', seen: [{ apiVersion: text, kind: text, seenBy: text, objects: 1 }] },
    { event: 'warning', code: 'x', message: text, next: text },
    { event: 'readiness', stack: text, object: text, readiness: { state: 'in-progress', reason: text, message: text } },
    {
      event: 'object',
      ...place,
      result: 'failed',
      error,
      adopted: { owners: [text] },
      forcedConflicts: [conflict],
      yielded: [conflict],
      conflicts: [conflict],
      warnings: [text],
      reason: text,
      finalizers: [text],
      declaredBy,
      readiness: { state: 'failed', reason: text, message: text },
    },
    {
      event: 'summary',
      verb: 'deploy',
      counts: { failed: 1 },
      forcedConflicts: 0,
      adopted: 0,
      notReady: 0,
      ok: false,
      exitCode: 4,
      errors: [error],
    },
  ];
  const field = { field: text, change: 'force', oldValue: text, newValue: `${text}\nmore`, owners: [owner], reason: text };

  test.each<[string, (host: never) => (event: never) => void, readonly object[], number?]>([
    ['of runs', runRenderer, runEvents],
    ['of runs on a terminal', runRenderer, runEvents, 500],
    [
      'of plans',
      planRenderer,
      [
        { event: 'warning', code: 'x', message: text },
        {
          event: 'plan',
          ...place,
          action: 'blocked',
          source: 'server',
          reason: text,
          error,
          declaredBy,
          fields: [field],
          adopts: { owners: [owner] },
        },
        { event: 'plan-summary', counts: { blocked: 1 }, forcedConflictsByOwner: { [text]: 1 }, forcedConflicts: 1, adopts: 0 },
      ],
    ],
    [
      'of owners',
      ownersRenderer,
      [
        { event: 'owners', object: text, fields: [{ field: text, value: text, owners: [owner] }] },
        { event: 'owners', object: text, fields: [], error },
        { event: 'owners-summary', objects: 1, missing: 0, fields: 1, unowned: 0, exitCode: 0 },
      ],
    ],
    [
      'of drift',
      driftRenderer,
      [
        { event: 'drift', ...place, state: 'drifted', fields: [drifted], error },
        { event: 'contention', object: text, stack: text, field: text, from: text, times: 3, at: text },
        { event: 'drift-summary', drifted: 1, objects: 1, fields: 1 },
      ],
    ],
    [
      'of the status',
      statusRenderer,
      [
        {
          event: 'status',
          ...place,
          state: 'drifted',
          readiness: { state: 'failed', reason: text, message: text },
          drift: [drifted],
          pending: [text],
          yielded: [text],
          otherWriters: [owner],
          error,
        },
        { event: 'status-summary', counts: { drifted: 1 }, ready: 0, notReady: 1, drifted: 1 },
      ],
    ],
  ])('%s', (_, render, events, columns) => {
    const output = rendered(render, events, columns).replaceAll('\r\u001b[K', '');
    expect(output).toContain('<U+202E>evil');
    expect(printable(output)).toBe(output);
    expect(output).not.toMatch(/^done: forged/m);
  });
});
