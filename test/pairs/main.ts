import { mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUsage, readCount, readFlags } from '../harness/script-flags.js';
import { startEmbedded, startServer } from '../harness/server.js';
import { brokenRows } from './break.js';
import { Campaign } from './campaign.js';
import { chosenPairs, sampled } from './chosen-pairs.js';
import { pageText } from './page.js';
import { type Deed, deedRules, fieldRules, pairRules } from './rules.js';

const usage = `Usage: npm run campaign -- pairs [--seed 1] [--pairs N] [--only DEED,DEED] [--server real] [--break] [--write-page]
Does two deeds to one object, in both orders, and compares plan, record, values and owners with the table of test/pairs/README.md.
Without --pairs: all. With it: N random ones. --only: pairs of these deeds; of one: its pairs with all others.
--break: breaks each row of the table in turn, and fails where the campaign does not find it. With --pairs: N random rows.`;
const { values } = readFlags(usage, {
  options: {
    seed: { type: 'string', default: '1' },
    pairs: { type: 'string' },
    only: { type: 'string' },
    server: { type: 'string' },
    break: { type: 'boolean' },
    'write-page': { type: 'boolean' },
  },
});
const seed = readCount(usage, 'seed', values.seed);
const count = values.pairs === undefined ? undefined : readCount(usage, 'pairs', values.pairs);
const only = (values.only?.split(',') ?? []) as Deed[];
for (const name of only)
  if (!(name in deedRules)) endWithUsage(usage, `There is no deed ${name}; there are: ${Object.keys(deedRules).join(', ')}`);
if (values.server !== undefined && values.server !== 'real' && values.server !== 'embedded')
  endWithUsage(usage, `There is no server ${values.server}`);

const page = new URL('README.md', import.meta.url);
if (values['write-page']) {
  writeFileSync(page, pageText());
  process.exit(0);
}

console.log(`seed ${seed}`);
const started = performance.now();
const directory = mkdtempSync(join(tmpdir(), 'fieldwise-pairs-'));
process.env.TMPDIR = directory; // of all that this process makes
const server = values.server === 'real' ? await startServer() : await startEmbedded();
const campaign = new Campaign(server.kubeconfig, `pairs-${seed}`);
const rules = { deeds: deedRules, fields: fieldRules, pairs: pairRules };
// Not by console.log: a command that loads a program in this process takes what is printed meanwhile for its output.
const say = (line: string) => writeSync(1, `${line}\n`);
let failed = 0;
let cases = 0;
try {
  if (values.break) {
    const rows = sampled(brokenRows(rules), count, seed);
    cases = rows.length;
    failed = await campaign.breakRows(rows, say);
  } else {
    const pairs = sampled(chosenPairs(only), count, seed);
    cases = pairs.length + 1;
    failed = await campaign.run(pairs, rules, say);
    if (readFileSync(page, 'utf8') !== pageText()) {
      failed += 1;
      say('FAILED test/pairs/README.md is not the page of rules.ts: run `npm run campaign -- pairs --write-page`');
    }
    for (const { first, second, outcome, why } of pairRules.filter((rule) => rule.outcome === 'not run')) {
      say(`${outcome}: ${first.join(' | ')}, ${second.join(' | ')}: ${why}`);
    }
  }
} finally {
  campaign.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
say(`${cases} cases in ${Math.round((performance.now() - started) / 1000)} s`);
say(`${cases - failed} passed, ${failed} failed`);
process.exit(failed === 0 && cases > 0 ? 0 : 1);
