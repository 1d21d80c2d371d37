import { printable } from '../printable.js';
import { type Phrase, phraseText } from './phrase.js';
import { fallbackPosition, positionOf, type RecordedObject, type RecordedRun } from './recorded-run.js';
import type { SourcePosition } from './repository-positions.js';
import { runFigures } from './run-figures.js';
import { errorPhrase } from './sentences.js';
import { verdictLine } from './verdict-line.js';
import { xmlElement, xmlText } from './xml.js';

/**
 * Formats plans or deploys as a JUnit report: a suite for each stack with a test case for each object, which fails if the object is blocked,
 * failed or not ready, and else has its changes as properties. A suite for the run has its errors and warnings.
 */
export function junit(runs: readonly RecordedRun[]): string {
  const suites = runs.flatMap(suitesOf);
  const sum = (of: (suite: Suite) => number) => suites.reduce((total, suite) => total + of(suite), 0);
  const counts = {
    tests: sum(({ cases }) => cases.length),
    failures: sum(({ failures }) => failures),
    errors: sum(({ errors }) => errors),
  };
  const body = suites.map((suite) => `  ${suiteText(suite)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement('testsuites', { name: 'fieldwise', ...counts }, ['\n', ...body])}\n`;
}

interface Suite {
  readonly name: string;
  readonly properties: readonly Property[];
  readonly cases: readonly string[];
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
  readonly output: string;
}

type Property = readonly [name: string, value: string];

function suitesOf(run: RecordedRun): readonly Suite[] {
  const prefix = run.environment === undefined ? '' : `${run.environment}: `;
  const stacks = new Map<string, RecordedObject[]>();
  for (const object of run.objects) {
    const objects = stacks.get(object.stack);
    if (objects) objects.push(object);
    else stacks.set(object.stack, [object]);
  }
  return [runSuite(run, prefix), ...[...stacks].map(([stack, objects]) => stackSuite(run, `${prefix}${stack}`, objects))];
}

/** The suite of a run as a whole: a test case for each error, and one for the run if there is none. */
function runSuite(run: RecordedRun, prefix: string): Suite {
  const name = `${prefix}${run.verb}`;
  const cases = run.errors.map((error) => {
    const message = plain(errorPhrase(error));
    return caseText(name, error.code, error.position ?? fallbackPosition(run), [xmlElement('error', { message, type: error.code })]);
  });
  const properties: readonly Property[] = [
    ...(run.app === undefined ? [] : [['app', run.app] as const, ['instance', run.instance ?? ''] as const]),
    ...(run.environment === undefined ? [] : [['environment', run.environment] as const]),
    ['summary', verdictLine(run, runFigures(run))],
    ...(run.saved ? [['plan', run.saved.file] as const, ['plan.sha256', run.saved.sha256] as const] : []),
  ];
  const warnings = run.warnings.map(({ code, text, declaredBy }) => {
    const position = positionOf(run, declaredBy);
    return `warning ${code}: ${plain(text)}${position ? ` (${position.file}:${position.line})` : ''}\n`;
  });
  return {
    name,
    properties,
    cases: cases.length > 0 ? cases : [caseText(name, run.verb, fallbackPosition(run), [])],
    failures: 0,
    errors: cases.length,
    skipped: 0,
    output: warnings.join(''),
  };
}

function stackSuite(run: RecordedRun, name: string, objects: readonly RecordedObject[]): Suite {
  const count = (risk: RecordedObject['risk']) => objects.filter((object) => object.risk === risk).length;
  return {
    name,
    properties: [],
    cases: objects.map((object) => objectCase(run, name, object)),
    failures: count('blocked'),
    errors: 0,
    skipped: count('skipped'),
    output: '',
  };
}

function objectCase(
  run: RecordedRun,
  suite: string,
  { object, action, risk, findings, changes, seenChanges, notes, declaredBy }: RecordedObject,
): string {
  const properties: readonly Property[] = [
    ['action', action],
    ['risk', risk],
    ...declaredBy.map(({ construct, source }) => ['declaredBy', source === undefined ? construct : `${construct} (${source})`] as const),
    ...findings.filter((finding) => finding.risk === 'risky').map(({ code, text }) => [code, plain(text())] as const),
    ...notes.map((note) => ['note', plain(note)] as const),
    ...[...seenChanges(), ...changes()].map((change) => ['change', plain(change)] as const),
  ];
  const failures = findings.filter((finding) => finding.risk === 'blocked');
  const [first] = failures;
  const failure = first && [
    xmlElement('failure', { message: plain(first.text()), type: first.code }, [
      xmlText(failures.flatMap(({ code, text, details = [] }) => [`${plain(text())} [${code}]`, ...details.map(plain)]).join('\n')),
    ]),
  ];
  const skipped = risk === 'skipped' ? [xmlElement('skipped', { message: notes.map(plain).join(' ') })] : [];
  return caseText(suite, object, positionOf(run, declaredBy) ?? fallbackPosition(run), [
    propertiesText(properties),
    ...(failure ?? skipped),
  ]);
}

function caseText(classname: string, name: string, position: SourcePosition | undefined, content: readonly string[]): string {
  const place = position ? { file: printable(position.file), line: position.line } : {};
  return xmlElement('testcase', { classname: printable(classname), name: printable(name), ...place, time: 0 }, content);
}

function suiteText({ name, properties, cases, failures, errors, skipped, output }: Suite): string {
  const attributes = { name: printable(name), tests: cases.length, failures, errors, skipped, time: 0 };
  const parts = [
    ...(properties.length > 0 ? [propertiesText(properties)] : []),
    ...cases,
    ...(output === '' ? [] : [xmlElement('system-out', {}, [xmlText(output)])]),
  ];
  return xmlElement('testsuite', attributes, ['\n', ...parts.map((part) => `    ${part}\n`), '  ']);
}

function propertiesText(properties: readonly Property[]): string {
  return xmlElement(
    'properties',
    {},
    properties.map(([name, value]) => xmlElement('property', { name, value: printable(value) })),
  );
}

function plain(text: Phrase): string {
  return phraseText(text);
}
