import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Host } from '../../../src/cli/process/host.js';
import { runRenderer } from '../../../src/cli/render/run-renderer.js';
import type { DeployEvent, ObjectReport } from '../../../src/deploy/index.js';

/** What a terminal shows: carriage returns, erasures to the end of a line, new lines. */
class Screen {
  readonly #rows = [''];
  #column = 0;

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what terminals are told
    for (const token of text.match(/\u001b\[K|[\s\S]/g) ?? []) {
      const row = this.#rows.length - 1;
      if (token === '\n') this.#rows.push('');
      if (token === '\n' || token === '\r') this.#column = 0;
      else if (token === '\u001b[K') this.#rows[row] = (this.#rows[row] as string).slice(0, this.#column);
      else {
        const line = this.#rows[row] as string;
        this.#rows[row] = line.slice(0, this.#column) + token + line.slice(this.#column + 1);
        this.#column += 1;
      }
    }
  }

  get rows(): readonly string[] {
    return this.#rows;
  }
}

const place = { stack: 'main', manager: 'fieldwise/shop/default/main', apiVersion: 'v1', kind: 'ConfigMap', lifecycle: 'own' } as const;
const nothing = { forcedConflicts: [], yielded: [], conflicts: [], warnings: [], declaredBy: [] };
const object = (name: string): ObjectReport => ({
  event: 'object',
  ...place,
  object: `ConfigMap ${name}`,
  name,
  result: 'created',
  ...nothing,
});
const started = {
  event: 'started',
  verb: 'deploy',
  app: 'shop',
  instance: 'default',
  stacks: ['main'],
  server: 'here',
  objects: 3,
} as const;
const waiting = { event: 'waiting', stack: 'main', object: 'Widget w', for: 'established', timeoutSeconds: 60 } as const;

function terminal(columns: number | undefined) {
  const screen = new Screen();
  const raw = { stdout: (text: string) => screen.write(text), stderr: (text: string) => screen.write(text) };
  const host = { colour: false, raw, ...(columns === undefined ? {} : { columns }) };
  return { screen, tell: runRenderer(host as unknown as Host) };
}

function shown(columns: number | undefined, events: readonly DeployEvent[]) {
  const { screen, tell } = terminal(columns);
  for (const event of events) tell(event);
  return screen.rows;
}

// A timer that a renderer leaves would run in the tests of other files.
beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test('the line stands below what stays, and says how far the run is and what it waits for', () => {
  expect(shown(100, [started, object('a'), waiting, object('b')])).toEqual([
    'deploy shop (default): main on here',
    '  created   ConfigMap a  [main]',
    '  … Widget w: waiting up to 60 s until it is established',
    '  created   ConfigMap b  [main]',
    '  2 of 3; waiting for 1 object: Widget w: not established yet, 60 s left',
  ]);
});

test('a line longer than the terminal is wide is cut, so that erasing it erases all of it', () => {
  const rows = shown(30, [started, object('a'), waiting]);
  expect(rows.at(-1)).toBe('  1 of 3; waiting for 1 obje…');
  expect(rows.at(-1)?.length).toBeLessThan(30);
  expect(shown(30, [started, object('a'), waiting, object('b')]).filter((row) => row.includes('…'))).toEqual([
    '  … Widget w: waiting up to 60',
    '  2 of 3; waiting for 1 obje…',
  ]);
});

test('it is gone when the run has ended, and where there is no terminal nothing is ever erased', () => {
  const summary = { event: 'summary', verb: 'deploy', ok: true, counts: { created: 1 }, errors: [], exitCode: 0 } as unknown as DeployEvent;
  const rows = shown(100, [started, object('a'), summary]);
  expect(rows.filter((row) => row.includes('1 of 3'))).toEqual([]);
  expect(rows.at(-1)).toBe('');
  expect(shown(undefined, [started, object('a'), waiting]).join('\n')).not.toMatch(/ of 3|\r/);
});

test('the report is on standard output, messages are on standard error, and the line is erased where it stands', () => {
  const printed: string[] = [];
  const raw = { stdout: (text: string) => printed.push(`out ${text}`), stderr: (text: string) => printed.push(`err ${text}`) };
  const tell = runRenderer({ color: false, colorsMessages: false, raw, columns: 100 } as unknown as Host);
  const error = { code: 'lock-lost', message: 'Lost', next: 'Run again' };
  const summary = { event: 'summary', verb: 'deploy', ok: false, counts: { created: 2 }, errors: [error], exitCode: 4 };
  for (const event of [started, object('a'), object('b'), { event: 'warning', code: 'w', message: 'Careful' }, summary])
    tell(event as never);
  expect(printed).toEqual([
    'out deploy shop (default): main on here\n',
    'out   created   ConfigMap a  [main]\n',
    'err   1 of 3',
    'err \r\u001b[K',
    'out   created   ConfigMap b  [main]\n',
    'err   1 of 3',
    'err \r\u001b[K  2 of 3',
    'err \r\u001b[K',
    'err warning: Careful. [w]\n',
    'err   2 of 3',
    'err \r\u001b[K',
    'out not done: 2 created\n',
    'err   2 of 3',
    'err \r\u001b[K',
    'err error: Lost. Run again. [lock-lost]\n',
    'err   2 of 3',
    'err \r\u001b[K',
  ]);
});

test.each([
  { seconds: 600, text: 'waiting up to 600 s until that run ends, or 15 s if it is no longer active' },
  { seconds: 15, text: 'waiting up to 15 s to see whether that run is still active' },
])('a lock that is waited for $seconds s: it says how long a dead run is', ({ seconds, text }) => {
  const { screen, tell } = terminal(200);
  tell({ event: 'waiting-for-lock', stack: 'main', holder: 'me@here', since: 'noon', timeoutSeconds: seconds, leaseDurationSeconds: 15 });
  expect(screen.rows[0]).toBe(`  … stack main is locked by me@here since noon: ${text}`);
});

test('a stack without a Lease: it says how long the run waits, and what for', () => {
  const { screen, tell } = terminal(200);
  tell({ event: 'waiting-for-lock', stack: 'main', timeoutSeconds: 15, leaseDurationSeconds: 15 });
  expect(screen.rows[0]).toBe(
    '  … stack main has an inventory and had no Lease: waiting 15 s, until a run whose Lease was deleted must have noticed it',
  );
});

test('a share whose object is absent says at once what it waits for and how long, and counts the seconds down', () => {
  const { screen, tell } = terminal(120);
  tell(started);
  tell({ event: 'waiting', stack: 'main', object: 'Gateway edge/public', for: 'create', timeoutSeconds: 300 });
  const line = (left: number) => `  0 of 3; waiting for 1 object: Gateway edge/public: does not exist yet, ${left} s left`;
  expect(screen.rows).toEqual([
    'deploy shop (default): main on here',
    '  … Gateway edge/public: waiting up to 300 s until the shared object exists',
    line(300),
  ]);
  vi.advanceTimersByTime(17_000);
  expect(screen.rows.at(-1)).toBe(line(283));
  expect(screen.rows).toHaveLength(3);
  tell({ ...object('a'), object: 'Gateway edge/public' });
  expect(screen.rows.at(-1)).toBe('  1 of 3');
  expect(vi.getTimerCount()).toBe(0);
});
