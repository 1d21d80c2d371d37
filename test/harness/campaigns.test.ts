import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { campaigns, commandsOf, stages } from '../campaigns/table.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Readonly<Record<string, string>> };

test.each(campaigns.map((campaign) => [campaign.name, campaign] as const))('the files of %s are there', (_, campaign) => {
  const files = commandsOf(campaign).flatMap((command) => command.filter((word) => word.endsWith('.ts')));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('each name and each stage stands there once, and is no npm script', () => {
  const names = campaigns.map(({ name }) => name);
  const stageNames = stages().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(stageNames).size).toBe(stageNames.length);
  expect([...names, ...stageNames].filter((name) => name in scripts)).toEqual([]);
});

test('a new script is a campaign, or one of twenty', () => expect(Object.keys(scripts).length).toBeLessThanOrEqual(20));

test('a stage has the programs of its campaign and the words of its sample', () => {
  expect(stages().find(({ name }) => name === 'concurrency:dynamic')?.command).toBe(
    'npx tsx test/concurrency/main.ts --seed 1 --rounds 3 --strategy dynamic',
  );
  expect(stages().find(({ name }) => name === 'docs:browser')?.command).toBe(
    'npx tsx test/site/build-site.ts && npx tsx test/site/browse-site.ts',
  );
});
