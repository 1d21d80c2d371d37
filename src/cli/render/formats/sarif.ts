import { createHash } from 'node:crypto';
import type { Declaration } from '../../../assembly/types.js';
import { pluralize } from '../../../util/pluralize.js';
import { documentPath } from '../document-path.js';
import { blockedMeanings, notedMeanings, riskyMeanings } from './object-finding.js';
import { emptyPhrase, type Phrase, phrase, phraseText } from './phrase.js';
import { fallbackPosition, positionOf, type RecordedRun } from './recorded-run.js';
import type { SourcePosition } from './repository-positions.js';
import { errorPhrase } from './sentences.js';

/** The most results of a run that GitHub accepts. */
const maxResults = 25_000;

/** A result before it is written. */
interface Found {
  readonly code: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly text: string;
  readonly object?: string;
  readonly stack?: string;
  readonly environment: string | undefined;
  readonly position: SourcePosition | undefined;
  readonly related: readonly SourcePosition[];
  readonly construct: string | undefined;
}

/**
 * Formats the findings of plans or deploys as SARIF 2.1.0 (OASIS): each on the line of the program that declares its object. Findings
 * without a declaration, such as deleted objects, are on the first line of the program. The ids of the rules are the codes.
 */
export function sarif(runs: readonly RecordedRun[], version: string): string {
  const all = runs.flatMap(findingsOf);
  const found = all.length > maxResults ? [...all].sort((left, right) => rank(left) - rank(right)).slice(0, maxResults) : all;
  const rules = [...new Set(found.map(({ code }) => code))].sort();
  const failed = runs.some(({ errors }) => errors.length > 0);
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Fieldwise', version, rules: rules.map(ruleOf) } },
        invocations: [{ executionSuccessful: !failed, ...leftOutNotification(all.length - found.length) }],
        columnKind: 'utf16CodeUnits',
        results: found.map((one) => resultOf(one, rules.indexOf(one.code))),
      },
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function rank({ level }: Found): number {
  return ['error', 'warning', 'note'].indexOf(level);
}

function leftOutNotification(leftOut: number): object {
  if (leftOut === 0) return {};
  const text = `${pluralize(leftOut, 'result')} left out: code scanning accepts ${maxResults} results.`;
  return { toolExecutionNotifications: [{ level: 'warning', message: { text } }] };
}

const meanings: Readonly<Partial<Record<string, string>>> = { ...riskyMeanings, ...blockedMeanings, ...notedMeanings };

/** Describes a code by its meaning, and with the page that explains it. */
function ruleOf(code: string) {
  const text = code.replaceAll('-', ' ');
  const title = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  const meaning = meanings[code];
  const page = meaning === undefined ? documentPath('errors') : documentPath('formats', 'risky-and-own-fields-only');
  return {
    id: code,
    name: code,
    shortDescription: { text: title },
    fullDescription: { text: meaning ?? title },
    help: { text: `${meaning === undefined ? `The meaning of ${code}` : meaning.replace(/\.$/, '')}: ${page}` },
  };
}

function resultOf({ code, level, text, object, stack, environment, position, related, construct }: Found, ruleIndex: number) {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([environment, stack, object, code, text]))
    .digest('hex');
  const name = construct ?? object;
  const logical =
    name === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: name, ...(object === undefined ? {} : { name: object }) }] };
  const physical = position ? { physicalLocation: physicalLocation(position) } : {};
  const isPlaced = position !== undefined || name !== undefined;
  return {
    ruleId: code,
    ruleIndex,
    level,
    message: { text },
    ...(isPlaced ? { locations: [{ ...physical, ...logical }] } : {}),
    ...(related.length > 0 ? { relatedLocations: related.map((one, id) => ({ id, physicalLocation: physicalLocation(one) })) } : {}),
    partialFingerprints: { 'fieldwise/v1': fingerprint },
    properties: { ...(object === undefined ? {} : { object, stack }), ...(environment === undefined ? {} : { environment }) },
  };
}

function physicalLocation({ file, line, column }: SourcePosition) {
  return {
    artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
    region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) },
  };
}

function findingsOf(run: RecordedRun): readonly Found[] {
  const { environment, positions } = run;
  const fallback = fallbackPosition(run);
  const place = (declaredBy: readonly Declaration[]) => {
    const position = positionOf(run, declaredBy);
    const others = declaredBy.map(({ source }) => positions.find(source)).filter((other) => other !== undefined);
    const related = others.filter((other) => other.file !== position?.file || other.line !== position.line);
    return { environment, position: position ?? fallback, related, construct: declaredBy[0]?.construct };
  };
  const errors = run.errors.map((error): Found => {
    const position = error.position ?? fallback;
    return { code: error.code, level: 'error', text: inEnvironment(errorPhrase(error), run), ...place([]), position };
  });
  const warnings = run.warnings.map(({ code, text, declaredBy }): Found => {
    return { code, level: 'warning', text: inEnvironment(text, run), ...place(declaredBy) };
  });
  const objects = run.objects.flatMap(({ object, stack, findings, declaredBy }) =>
    findings.map(({ code, risk, text }): Found => {
      const message = inEnvironment(phrase`${object}: ${text()}`, run);
      return { code, level: risk === 'blocked' ? 'error' : 'warning', text: message, object, stack, ...place(declaredBy) };
    }),
  );
  const notJudged = run.objects.flatMap(({ object, stack, notJudged: text, declaredBy }): readonly Found[] => {
    if (text === undefined) return [];
    const message = inEnvironment(phrase`${object}: ${text}`, run);
    return [{ code: 'not-judged', level: 'note', text: message, object, stack, ...place(declaredBy) }];
  });
  return [...errors, ...objects, ...warnings, ...notJudged];
}

function inEnvironment(text: Phrase, { environment }: RecordedRun): string {
  return phraseText(phrase`${text}${environment === undefined ? emptyPhrase : phrase` (environment ${environment})`}`);
}
