/** A finding of a plan at a line of the program. */
export interface SourceFinding {
  readonly level: 'error' | 'warning' | 'note';
  /** The code of the finding. */
  readonly rule: string;
  readonly text: string;
  /** Relative to the root of the repository; absent if the finding has no place. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

interface SarifResult {
  readonly level?: unknown;
  readonly ruleId?: unknown;
  readonly message?: { readonly text?: unknown };
  readonly locations?: readonly {
    readonly physicalLocation?: {
      readonly artifactLocation?: { readonly uri?: unknown };
      readonly region?: { readonly startLine?: unknown; readonly startColumn?: unknown };
    };
  }[];
}

/**
 * Reads the findings of a SARIF file. Source: OASIS, SARIF 2.1.0, 3.27 "result object".
 *
 * @throws an error of JSON, or one that says what is missing.
 */
export function readSarif(text: string): readonly SourceFinding[] {
  const document: unknown = JSON.parse(text);
  if (!isRecord(document) || !isRecords(document.runs)) throw new Error('it has no list of runs');
  return document.runs.flatMap(({ results = [] }) => {
    if (!isRecords(results)) throw new Error('a run has no list of results');
    return results.map((result) => findingOf(result as SarifResult));
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRecords(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isRecord);
}

function findingOf({ level, ruleId, message, locations }: SarifResult): SourceFinding {
  const place = isRecords(locations) ? locations[0]?.physicalLocation : undefined;
  const uri = place?.artifactLocation?.uri;
  const line = position(place?.region?.startLine);
  const column = position(place?.region?.startColumn);
  return {
    level: level === 'error' || level === 'note' ? level : 'warning',
    rule: typeof ruleId === 'string' ? ruleId : 'fieldwise',
    text: typeof message?.text === 'string' ? message.text : '',
    ...(typeof uri === 'string' ? { file: decoded(uri) } : {}),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

function position(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
