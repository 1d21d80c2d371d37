import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { corpusArguments, usage } from './corpus-arguments.js';
import { measureMistakes } from './mistakes/measure-mistakes.js';
import { mistakesText } from './mistakes/mistakes-text.js';
import { measureNames, namesText } from './names/measure-names.js';
import { objectsText } from './objects-text.js';
import { runCorpus } from './run-corpus.js';
import { measureSizes, sizesText } from './sizes/measure-sizes.js';
import { describeSuggestions, suggestions } from './suggestions.js';

/**
 * Measures the builders of directories of CustomResourceDefinitions: `npm run campaign -- corpus DIR…`. Objects that a server accepted and refused
 * must be accepted and refused; the other measures are figures and do not fail. `--only MEASURE` runs one, `--all` prints details.
 */
const words = corpusArguments(process.argv.slice(2), (directory) => existsSync(join(directory, 'crds')));
if ('wrong' in words) {
  process.stderr.write(`corpus: ${words.wrong}; ${usage}\n`);
  process.exit(2);
}
const { directories, measures, all } = words;
const tty = process.stderr.isTTY;
const progress = (text: string) => tty && process.stderr.write(`\r\x1b[K  ${text}`);
const print = (text: string) => {
  if (tty) process.stderr.write('\r\x1b[K');
  process.stdout.write(text);
};

async function measure(): Promise<void> {
  if (measures.has('objects')) {
    const totals = { passed: 0, failed: 0 };
    for (const directory of directories) {
      const result = await runCorpus(directory, progress);
      print(`${directory}: objects\n${objectsText(result, all)}`);
      for (const { failure } of result.outcomes) totals[failure === undefined ? 'passed' : 'failed'] += 1;
    }
    print(`\n${totals.passed} passed, ${totals.failed} failed\n`);
    process.exitCode = totals.failed === 0 ? 0 : 1;
  }
  for (const directory of directories) {
    if (measures.has('names')) print(`\n${directory}: names\n${namesText(await measureNames(directory), all)}`);
    if (measures.has('sizes'))
      print(`\n${directory}: sizes against cdk8s import\n${sizesText(await measureSizes(directory, progress), all)}`);
    if (measures.has('suggestions')) print(describeSuggestions(await suggestions(directory)));
  }
  if (measures.has('mistakes')) print(`\nmistakes\n\n${mistakesText(await measureMistakes(directories, progress), all)}`);
}

measure().catch((error: unknown) => {
  process.stderr.write(`corpus: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
