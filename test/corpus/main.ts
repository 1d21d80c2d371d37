import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runCorpus } from './run-corpus.js';
import { describeSuggestions, suggestions } from './suggestions.js';

/**
 * Runs directories of CustomResourceDefinitions with examples that a server accepted and refused: `npm run corpus -- DIR…`.
 * `--all` also prints what holds.
 */
const words = process.argv.slice(2);
const all = words.includes('--all');
const directories = words.filter((word) => word !== '--all');
const wrong = directories.find((directory) => directory.startsWith('-') || !existsSync(join(directory, 'crds')));
if (directories.length === 0 || wrong !== undefined) {
  const what = wrong === undefined ? 'no directory is given' : `${wrong} has no crds/ directory`;
  process.stderr.write(`corpus: ${what}; usage: npm run corpus -- [--all] DIR…\n`);
  process.exit(2);
}
const totals = { passed: 0, failed: 0 };
for (const directory of directories) {
  process.stdout.write(`${directory}\n`);
  const tty = process.stderr.isTTY;
  const { outcomes, refusals } = await runCorpus(directory, (text) => tty && process.stderr.write(`\r\x1b[K  ${text}`));
  if (tty) process.stderr.write('\r\x1b[K');
  for (const { what, failure, note } of outcomes) {
    totals[failure === undefined ? 'passed' : 'failed'] += 1;
    if (failure !== undefined) process.stdout.write(`  FAILED ${what}\n         ${failure}\n`);
    else if (all || note?.startsWith('beyond')) process.stdout.write(`  ok     ${what}${note === undefined ? '' : `\n         ${note}`}\n`);
  }
  const counts = Object.entries(refusals).map(([by, count]) => `${by} ${count}`);
  process.stdout.write(`  Invalid objects refused by: ${counts.join(', ')}\n`);
  process.stdout.write(describeSuggestions(await suggestions(directory)));
}
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
