import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BufferedOutput } from '../../../src/cli/process/buffered-output.js';

/** Two streams and what was written to them, a line for each write. */
function streams() {
  const written: string[] = [];
  const of = (name: string) => ({ write: (text: string) => written.push(`${name} ${JSON.stringify(text)}`) });
  return { out: of('out'), err: of('err'), written };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const aPause = () => vi.advanceTimersByTime(100);

test('what is told within a moment is written at once, in order across streams', () => {
  const { out, err, written } = streams();
  const output = new BufferedOutput();
  const [tellOut, tellErr] = [output.to(out), output.to(err)];
  for (const text of ['a\n', 'b\n']) tellErr(text);
  tellOut('c\n');
  tellErr('d\n');
  expect(written).toEqual([]);
  aPause();
  expect(written).toEqual(['err "a\\nb\\n"', 'out "c\\n"', 'err "d\\n"']);
  tellErr('e\n');
  aPause();
  expect(written.at(-1)).toBe('err "e\\n"');
});

test('a lot does not wait for the end of the pause, and nothing is written twice', () => {
  const { out, written } = streams();
  const output = new BufferedOutput();
  const tell = output.to(out);
  for (let lines = 0; lines < 3; lines++) tell('x'.repeat(30_000));
  expect(written).toHaveLength(1);
  tell('y');
  output.flush(); // as at exit
  aPause();
  expect(written.map((line) => line.length)).toEqual([90_006, 7]);
});
