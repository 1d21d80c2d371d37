import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { junit } from '../../../../../src/cli/render/formats/junit.js';
import { emptyReport } from '../../../../../src/engine/report/events.js';
import { planned, recordedRun, taken } from './sample-run.js';
import { parseXml, type XmlElement } from './well-formed-xml.js';

const casesOf = (document: XmlElement, suite: string) =>
  document.children.find(({ attributes }) => attributes.name === suite)?.children.filter(({ name }) => name === 'testcase') ?? [];

describe('a JUnit report', () => {
  test('has a test case for each object, which fails if it is blocked', () => {
    const document = parseXml(
      junit([
        recordedRun([
          planned({ name: 'fine', fields: [taken('.data.a')] }),
          planned({ name: 'bad', action: 'blocked', error: { code: 'forbidden', message: 'No <rights>', next: 'Ask' } }),
          planned({ name: 'same', stack: 'base', action: 'unchanged' }),
        ]),
      ]),
    );
    expect(document.attributes).toEqual({ name: 'fieldwise', tests: '4', failures: '1', errors: '0' });
    const [fine, bad] = casesOf(document, 'web');
    expect(fine?.attributes).toMatchObject({ name: 'ConfigMap default/fine', file: 'main.ts', line: '4' });
    expect(fine?.children[0]?.children.map(({ attributes }) => attributes.name)).toEqual(['action', 'risk', 'declaredBy', 'field-taken']);
    expect(bad?.children[1]).toMatchObject({ name: 'failure', attributes: { type: 'forbidden', message: 'No <rights>. Ask.' } });
    expect(casesOf(document, 'base').map(({ children }) => children.map(({ name }) => name))).toEqual([['properties']]);
  });

  test('of a deploy fails what failed or is not ready, and skips what was skipped', () => {
    const { declaredBy, ...reference } = planned();
    const report = (name: string) => ({
      ...emptyReport({ ...reference, object: `ConfigMap default/${name}` }, declaredBy),
      event: 'object' as const,
    });
    const run = recordedRun(
      [
        { ...report('ready'), result: 'created', readiness: { state: 'current', reason: 'Ready', message: 'ready' } },
        {
          ...report('slow'),
          result: 'created',
          readiness: { state: 'in-progress', reason: 'Progressing', message: '1 of 2', timedOutAfterSeconds: 5 },
        },
        { ...report('never'), result: 'skipped', reason: 'A dependency failed' },
        {
          event: 'summary',
          verb: 'deploy',
          counts: {},
          forcedConflicts: 0,
          adopted: 0,
          notReady: 1,
          ok: false,
          exitCode: 4,
          errors: [{ code: 'server-error', message: 'The inventory was not written' }],
        },
      ],
      { verb: 'deploy', environment: 'prod' },
    );
    const document = parseXml(junit([run]));
    expect(document.attributes).toMatchObject({ tests: '4', failures: '1', errors: '1' });
    const summary = document.children[0]?.children[0]?.children.find(({ attributes }) => attributes.name === 'summary');
    expect(summary?.attributes.value).toBe('+2 ~0 −0 · took 0 · released 0 · failed 1 · 1 skipped · errors: server-error');
    const outcomes = casesOf(document, 'prod: web').map(({ attributes, children }) => [
      attributes.name,
      children[1]?.name,
      children[1]?.attributes.message,
    ]);
    expect(outcomes).toEqual([
      ['ConfigMap default/ready', undefined, undefined],
      ['ConfigMap default/slow', 'failure', 'Not ready after 5 s: 1 of 2. (Progressing)'],
      ['ConfigMap default/never', 'skipped', 'A dependency failed'],
    ]);
    expect(casesOf(document, 'prod: deploy')[0]?.children[0]).toMatchObject({ name: 'error', attributes: { type: 'server-error' } });
  });

  test('is well-formed with every text, and keeps it', () => {
    const text = fc.oneof(
      fc.constantFrom(']]>', '</testcase>', '"><x', '\u0000\ufffe\ud800', '&amp;', '\t\n'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        const declaredBy = [{ construct: a, source: `${b}:1` }];
        const objects = [
          planned({ object: a, stack: b, reason: c, declaredBy, fields: [{ field: d, change: 'set', newValue: a }] }),
          planned({ object: a, stack: b, action: 'blocked', error: { code: 'rejected', message: c, next: d } }),
        ];
        const document = parseXml(
          junit([recordedRun([{ event: 'warning', code: 'field-pruned', message: a }, ...objects], { environment: b })]),
        );
        expect(document.attributes.failures).toBe('1');
      }),
      { numRuns: 500 },
    );
    const document = parseXml(junit([recordedRun([planned({ object: 'a <b> & "c"' })])]));
    expect(casesOf(document, 'web')[0]?.attributes.name).toBe('a <b> & "c"');
  });
});
