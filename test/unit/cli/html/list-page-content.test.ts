import { expect, test } from 'vitest';
import { listPageContent } from '../../../../src/cli/html/list-page-content.js';
import type { ObservedStack } from '../../../../src/inspect/observed-stacks.js';
import { hostileTexts } from '../../../pages/scene.js';
import { broken, crash, forbidden, healthy, last, notReady, stack, undeployed } from '../sample-stacks.js';

const subject = { title: 'Stacks', cluster: 'https://127.0.0.1:6443' };
const pageOf = (...stacks: readonly ObservedStack[]) => {
  const { data, content } = listPageContent(stacks, { subject, made: '2026-11-30T08:00:00Z' });
  const headline = /class="headline">(.*?)</.exec(content.html)?.[1];
  const rows = [...content.html.matchAll(/<tbody.*?<\/tbody>/gs)].map(([row]) => row.replace(/(<[^>]+>)+/g, '|'));
  return { data, html: content.html, headline, rows };
};
const rolling = { ...crash, state: 'in-progress', message: '1 of 3 pods are ready' } as const;

test('stacks that need somebody are first, and the headline counts every stack once', () => {
  const { data, headline, rows, html } = pageOf(
    stack('web'),
    forbidden,
    stack('late', { last: { ...last, result: 'failed' } }),
    stack('new', { ...notReady(rolling), namespaces: ['edge', 'shop'] }),
    broken,
  );
  expect(data.stacks.map(({ state }) => state)).toEqual(['not-ready', 'in-progress', 'deploy-failed', 'not-known', 'ready']);
  expect(headline).toBe('5 stacks: 1 not ready, 1 not ready yet, 1 ready after a failed deploy, 1 not known, 1 ready');
  expect(data.stacks[1]).toEqual({ state: 'in-progress', app: 'shop', instance: 'prod', namespaces: ['edge', 'shop'] });
  expect(rows).toEqual([
    '|shop/prod/db|2026-11-30T04:00:00Z|failed|alice|12 owned|Deployment shop/web: failed: container web crashes|',
    '|shop/prod/new|2026-11-30T04:00:00Z|succeeded|alice|12 owned|Deployment shop/web: in-progress: 1 of 3 pods are ready|',
    '|shop/prod/late|2026-11-30T04:00:00Z|failed|alice|12 owned|',
    '|shop/prod/base|not known|not known|not known|12 owned|Secret shop/db: not known: forbidden|its history was not read: secrets is forbidden|',
    '|shop/prod/web|2026-11-30T04:00:00Z|succeeded|alice|12 owned|',
  ]);
  expect(html).toContain('<time datetime="2026-11-30T08:00:00Z"');
  expect(pageOf().headline).toBe('0 stacks');
});

test.each<readonly [title: string, stack: ObservedStack]>([
  ['the last deploy failed', stack('db', { last: { ...last, result: 'failed' }, ...notReady(rolling) })],
  ['its inventory is damaged', stack('db', { damaged: 'entry 3 is not JSON', ...notReady(rolling) })],
  ['another object is absent', stack('db', notReady(rolling, { ...crash, state: 'absent' }))],
])('a rollout is not under way where %s', (_, one) => {
  expect(pageOf(one).headline).toBe('1 stack: 1 not ready');
});

test('only a ready stack and a deploy that succeeded are green', () => {
  const damaged = stack('db', { damaged: 'entry 3 is not JSON', health: { ...healthy, state: 'not-known' } });
  const { html, headline, rows } = pageOf(undeployed(damaged), forbidden);
  expect(headline).toBe('2 stacks: 2 not known');
  expect(html).not.toMatch(/of-ready|succeeded/);
  expect(rows[0]).toBe('|shop/prod/db (damaged)|-|-|-|12 owned|entry 3 is not JSON|');
});

test('many ready stacks are folded, and so are objects behind the fifth; more than 100 are counted', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => stack(`web-${index}`));
  expect(pageOf(...many(20)).html).toContain('<details class="state" open="">');
  expect(pageOf(...many(21)).html).toContain('<details class="state">');
  const crashes = (count: number) => pageOf(stack('db', notReady(...Array.from({ length: count }, () => crash)))).html;
  expect(crashes(5)).not.toContain(' more');
  expect(crashes(8)).toContain('<summary>3 more</summary>');
  expect(crashes(8).match(/crashes/g)).toHaveLength(8);
  expect(crashes(1_000).match(/crashes/g)).toHaveLength(100);
  expect(crashes(1_000)).toContain('and 900 more, which `fieldwise list -o json` lists');
});

test.each(hostileTexts)('%j is text, wherever it is', (text) => {
  const names = { app: text, instance: text, stack: text, namespaces: [text] };
  const problem = { ...crash, object: text, message: text };
  const reasons = { damaged: text, historyNotRead: text };
  const { html, data } = pageOf(
    stack('a', { ...names, ...notReady(...Array.from({ length: 6 }, () => problem)), last: { ...last, at: text, by: text } }),
    undeployed(stack('b', { ...names, ...reasons, health: { ...healthy, state: 'not-known' } })),
  );
  const elements = [...html.matchAll(/<(\w+)/g)].map(([, name]) => name);
  expect(new Set(elements)).toEqual(
    new Set('header h1 p time main div details summary h2 span table thead tr th tbody td ul li'.split(' ')),
  );
  expect(html.replace(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\s(on\w+|href|src|style)=/);
  for (const control of ['\u202e', '\u0007']) expect(html + JSON.stringify(data)).not.toContain(control);
});
