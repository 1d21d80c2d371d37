import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { App, Stack } from '../../../src/entry/index.js';
import { conventionalKeys, type ListKeys, listRules, threeWayMerge } from '../../../src/merge/dynamic/index.js';
import { synthesize } from '../../../src/synth/synthesize.js';
import type { JsonObject } from '../../../src/util/json.js';

const text = readFileSync(fileURLToPath(new URL('../../../docs/strategies.md', import.meta.url)), 'utf8');
const blocks = [...text.matchAll(/<!-- example: ([\w-]+) -->\n```(\w+)\n([\s\S]*?)```/g)].map(([, name, language, block]) => ({
  name: name as string,
  language,
  block: block as string,
}));
const merges = blocks.filter(({ language }) => language === 'yaml');

interface Example {
  readonly base: JsonObject;
  readonly intent: JsonObject;
  readonly live: JsonObject;
  readonly merged: JsonObject;
  readonly listKeys?: Readonly<Record<string, ListKeys>>;
  readonly contested?: readonly string[];
  readonly vanishing?: readonly string[];
}

it.each(merges.map(({ name, block }) => [name, block] as const))('the example %s of docs/strategies.md holds', (_, block) => {
  const { base, intent, live, merged, listKeys, contested = [], vanishing = [] } = parse(block) as Example;
  const result = threeWayMerge({ base: { spec: base }, intent: { spec: intent }, live: { spec: live }, rules: listRules({ listKeys }) });
  expect(result.merged).toEqual({ spec: merged });
  expect(result.contested.map(({ field }) => field)).toEqual(contested);
  expect(result.collateral.map(({ field }) => field)).toEqual(vanishing);
});

test('the program of docs/strategies.md declares what it says', () => {
  const [program] = blocks.filter(({ language }) => language === 'ts');
  const source = ts.transpile(`${program?.block}\nreturn app;`, { target: ts.ScriptTarget.ES2022 });
  const app = new Function('App', 'Stack', source)(App, Stack) as App;
  const { stacks, warnings } = synthesize(app).manifest;
  expect(stacks[0]?.intents[0]?.policy).toMatchObject({ strategy: 'dynamic', listKeys: { '.spec.routes': ['host', 'path'] } });
  expect(warnings).toEqual([]);
  expect(merges).toHaveLength(5);
});

test('docs/strategies.md names the conventional keys in their order', () => {
  const listed = /tells\s+them apart: ((?:`\w+`,?\s+)+)in this\s+order/.exec(text)?.[1] ?? '';
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...conventionalKeys]);
});
