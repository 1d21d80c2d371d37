import { type Deed, type DeedRule, deedRules, type FieldRule, fieldRules, type PairRule, pairRules } from './rules.js';

/** Returns the page with the table of rules. */
export function pageText(): string {
  return `# Two deeds on one object

This page is written by \`npm run campaign -- pairs --write-page\` from [rules.ts](rules.ts), which the campaign \`npm run campaign -- pairs\` reads.

Stack \`web\` owns an object, \`side\` and \`gone\` share it, \`next\` declares nothing. \`them\` applies fields, of which two are co-owned by \`web\` and one is left to
its owner (\`y\`, under \`conflicts: yield\`); kubectl co-owns a field (\`c\`) by updates. The campaign does two deeds to this object, in both orders, and deploys. Deeds of
others come before the plan as the first one, and between plan and deploy as the second one. In each pair:

- Plan and record name the fields that are forced, yielded, released and transferred, and what becomes of the object, as below; no others.
- A question comes before the first write, or not at all.
- The live values and their owners are those below, after the first deed and after the deploy.
- A second deploy writes nothing.

## Fields

What a deploy does to a field, for each stack that declares or owns it.

| rule | when | value | owners | told | asks |
|---|---|---|---|---|---|
${Object.entries(fieldRules).map(fieldRow).join('\n')}

## Deeds

| deed | effect | told | asks |
|---|---|---|---|
${(Object.keys(deedRules) as Deed[]).map(deedRow).join('\n')}

## Pairs with rules of their own

| first | second | outcome | why |
|---|---|---|---|
${pairRules.map(pairRow).join('\n')}
`;
}

function fieldRow([name, { when, value, owners, told, asks }]: [string, FieldRule]): string {
  return `| ${name} | ${when} | ${value} | ${owners} | ${told} | ${asks ? 'at the first contact of the stack, if the owner is no stack' : ''} |`;
}

function deedRow(deed: Deed): string {
  const { does, told = {}, renames = [], asks }: DeedRule = deedRules[deed];
  const words = [
    ...Object.entries(told).map(([stack, all]) => `${stack}: ${all.join(', ')}`),
    ...renames.map((stack) => `${stack}: renamed`),
  ];
  return `| ${deed} | ${does} | ${words.join('; ')} | ${asks ? 'yes' : ''} |`;
}

function pairRow({ first, second, with: one, outcome, why }: PairRule): string {
  const names = (all: readonly Deed[]) => all.join('<br>');
  const what = typeof outcome === 'string' ? outcome : `refused: \`${outcome.refused}\``;
  return `| ${names(first)} | ${names(second)} | ${what}${one ? ` (one of the two is ${one})` : ''} | ${why} |`;
}
