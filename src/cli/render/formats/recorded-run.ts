import type { Declaration } from '../../../assembly/types.js';
import type { ReportedError } from '../../../deploy/index.js';
import type { BlockedBy } from './blocked-text.js';
import type { ObjectFinding, Risk } from './object-finding.js';
import type { Phrase } from './phrase.js';
import type { RepositoryPositions, SourcePosition } from './repository-positions.js';

/** A plan or a deploy as the formats show it. */
export interface RecordedRun {
  readonly verb: 'plan' | 'deploy';
  /** Absent if the run ended before they were known. */
  readonly app?: string;
  readonly instance?: string;
  /** The chosen environment. */
  readonly environment?: string;
  /** Finds the sources of declarations in the repository. */
  readonly positions: RepositoryPositions;
  readonly objects: readonly RecordedObject[];
  /** Warnings of synth and of the run. */
  readonly warnings: readonly RecordedWarning[];
  /** Errors that do not concern one object, such as one that ended the run. */
  readonly errors: readonly RecordedError[];
  /** The file of the saved plan, and its SHA-256 in hex. */
  readonly saved?: { readonly file: string; readonly sha256: string };
}

/** An object of a plan or a deploy. */
export interface RecordedObject {
  /** `Kind namespace/name`. */
  readonly object: string;
  readonly stack: string;
  /** Returns a text that is equal for objects of one kind and one stack with the same action and the same changes. */
  likeness(): string;
  /** The planned action, or the result of the deploy. */
  readonly action: string;
  readonly risk: Risk;
  /** Of a blocked object of a plan. */
  readonly blockedBy?: BlockedBy;
  readonly findings: readonly ObjectFinding[];
  /** Returns the changes of own fields that make the object sensitive. */
  seenChanges(): readonly Phrase[];
  /** Returns all other changes, one each: most formats show only some of them. */
  changes(): readonly Phrase[];
  /** Facts about the whole object. */
  readonly notes: readonly Phrase[];
  /** The previous owners of each field that is taken. */
  readonly takenFrom: readonly (readonly string[])[];
  /** The stack owns an object that it did not create. */
  readonly isAdopted: boolean;
  /** The number of released fields. */
  readonly released: number;
  /** The number of fields that a blocked object of a plan would take. */
  readonly wouldTake: number;
  /** Returns why the object is never folded although nobody else loses anything; see `sensitiveChanges`. */
  sensitive(): readonly string[];
  /** The number of fields that stay as they are and that others own, too. */
  readonly coOwned: number;
  /** The number of fields whose values could not be read, and that a deploy may change. */
  readonly notCompared: number;
  /** Says why the server could not judge the object, and what it says until then; absent if it could. */
  readonly notJudged?: Phrase;
  readonly declaredBy: readonly Declaration[];
}

/** A warning, and the declaration to blame where it is known. */
export interface RecordedWarning {
  readonly code: string;
  readonly text: Phrase;
  readonly declaredBy: readonly Declaration[];
}

/** An error that does not concern one object. */
export interface RecordedError extends Pick<ReportedError, 'code' | 'message' | 'next'> {
  /** Its place in a program or a file, where it is known. */
  readonly position?: SourcePosition;
}

/** Returns the heaviest of the findings, else the risk of an object without any. */
export function riskOf(findings: readonly ObjectFinding[], otherwise: Risk): Risk {
  if (findings.some(({ risk }) => risk === 'blocked')) return 'blocked';
  return findings.length > 0 ? 'risky' : otherwise;
}

/** Returns the position of the first declaration that has one in the repository. */
export function positionOf({ positions }: Pick<RecordedRun, 'positions'>, declaredBy: readonly Declaration[]): SourcePosition | undefined {
  for (const { source } of declaredBy) {
    const position = positions.find(source);
    if (position !== undefined) return position;
  }
  return undefined;
}

/** Returns the position for findings without a declaration: the first line of the program, else of a file that declares something. */
export function fallbackPosition({ positions, objects }: Pick<RecordedRun, 'positions' | 'objects'>): SourcePosition | undefined {
  if (positions.fallback !== undefined) return positions.fallback;
  for (const { declaredBy } of objects) {
    const position = positionOf({ positions }, declaredBy);
    if (position !== undefined) return { file: position.file, line: 1 };
  }
  return undefined;
}
