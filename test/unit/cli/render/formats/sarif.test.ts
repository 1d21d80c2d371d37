import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { sarif } from '../../../../../src/cli/render/formats/sarif.js';
import type { PlanEvent } from '../../../../../src/deploy/index.js';
import { planned, recordedRun, taken } from './sample-run.js';
import { sarifSchema } from './sarif-schema.js';
import { parseXml } from './well-formed-xml.js';

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url));
const golden = join(checkout, 'test/cluster/formats');

function resultsOf(events: readonly PlanEvent[], environment?: string) {
  const document = v.parse(
    sarifSchema,
    JSON.parse(sarif([recordedRun(events, environment === undefined ? {} : { environment })], '1.2.3')),
  );
  return document.runs[0]?.results ?? [];
}

describe('a SARIF log', () => {
  test('has each finding on the line that declares its object, and no harmless change', () => {
    const results = resultsOf([
      planned({ name: 'a', fields: [taken('.data.a'), { field: '.data.b', change: 'set', newValue: 1 }] }),
      planned({
        name: 'b',
        action: 'blocked',
        declaredBy: [{ construct: 'c', source: 'lib/my file.ts:7' }],
        error: { code: 'forbidden', message: 'No' },
      }),
      planned({ name: 'c', action: 'delete', declaredBy: [] }),
      planned({ name: 'd', action: 'create' }),
    ]);
    expect(
      results.map(({ ruleId, level, message, locations }) => [ruleId, level, message.text, locations?.[0]?.physicalLocation]),
    ).toMatchObject([
      [
        'field-taken',
        'warning',
        'ConfigMap default/a: takes .data.a from helm (Helm 4): "theirs" → "ours"',
        { artifactLocation: { uri: 'main.ts' }, region: { startLine: 4, startColumn: 11 } },
      ],
      ['forbidden', 'error', 'ConfigMap default/b: No.', { artifactLocation: { uri: 'lib/my%20file.ts' }, region: { startLine: 7 } }],
      [
        'object-deleted',
        'warning',
        'ConfigMap default/c: deletes the object',
        { artifactLocation: { uri: 'main.ts' }, region: { startLine: 1 } },
      ],
    ]);
  });

  test('names the other declarations of an object', () => {
    const declaredBy = ['main.ts:4:1', 'main.ts:9:1', 'stdin:3', '../other/x.ts:1:1'].map((source) => ({ construct: source, source }));
    const [result] = resultsOf([planned({ declaredBy, fields: [taken('.data.a')] })]);
    expect(result?.relatedLocations?.map(({ physicalLocation }) => physicalLocation.region.startLine)).toEqual([9]);
  });

  test('tells the environments apart, in texts and fingerprints', () => {
    const events = [planned({ fields: [taken('.data.a')] })];
    const [staging, prod] = ['staging', 'prod'].map((environment) => resultsOf(events, environment)[0]);
    expect(staging?.message.text).toContain('(environment staging)');
    expect(staging?.partialFingerprints).not.toEqual(prod?.partialFingerprints);
    expect(resultsOf(events)[0]?.partialFingerprints).toEqual(resultsOf(events)[0]?.partialFingerprints);
  });

  test('of more findings than code scanning accepts has the errors, and says how many are left out', () => {
    const fields = Array.from({ length: 100 }, (_, index) => taken(`.data.a${index}`));
    const risky = Array.from({ length: 260 }, (_, index) => planned({ name: `risky-${index}`, fields }));
    const blocked = planned({ name: 'last', action: 'blocked', error: { code: 'forbidden', message: 'No' } });
    const [run] = v.parse(sarifSchema, JSON.parse(sarif([recordedRun([...risky, blocked])], '1'))).runs;
    expect(run?.results).toHaveLength(25_000);
    expect(run?.results[0]).toMatchObject({ ruleId: 'forbidden', level: 'error' });
    expect(run?.invocations[0]?.toolExecutionNotifications?.[0]?.message.text).toContain('1001 results left out');
  });

  test('is valid with every text', () => {
    const text = fc.oneof(
      fc.constantFrom('../../etc/passwd', '/etc/passwd', 'a b#c?d%', '', '\ud800', 'C:\\x'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const declaredBy = [{ construct: a, source: `${b}:0:0` }];
        const results = resultsOf(
          [
            { event: 'warning', code: 'field-pruned', message: c },
            planned({ object: a, stack: b, declaredBy, fields: [taken(c, a)] }),
            planned({ object: a, action: 'blocked', error: { code: 'rejected', message: b, next: c }, declaredBy }),
          ],
          a,
        );
        expect(results).toHaveLength(3);
      }),
      { numRuns: 500 },
    );
  });
});

test('the golden files are valid, and all their codes are documented', () => {
  const documented = ['docs/errors.md', 'docs/formats.md'].map((page) => readFileSync(join(checkout, page), 'utf8')).join('\n');
  const files = readdirSync(golden);
  expect(files.filter((file) => file.endsWith('.sarif'))).toHaveLength(6);
  for (const file of files) {
    const text = readFileSync(join(golden, file), 'utf8');
    if (file.endsWith('.xml')) expect(parseXml(text).name, file).toBe('testsuites');
    if (!file.endsWith('.sarif')) continue;
    const { runs } = v.parse(sarifSchema, JSON.parse(text));
    for (const { ruleId } of runs.flatMap(({ results }) => results)) expect(documented, file).toContain(`| \`${ruleId}\` |`);
  }
});
