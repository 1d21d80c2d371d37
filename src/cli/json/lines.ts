import type { KindReport } from '../../../codegen/index.js';
import type { IntentManifest, StackManifest, SynthDiagnostic } from '../../assembly/types.js';
import type { AbsentOwners } from '../../deploy/adopt/adopt.js';
import type {
  Adoption,
  ApplySetPreview,
  Check,
  ContendedField,
  DeployEvent,
  DriftEnded,
  DriftSummary,
  ListedRevision,
  MemberResult,
  ObjectDiagnostic,
  ObjectDrift,
  ObjectInspection,
  ObjectOwners,
  ObjectStatus,
  Orphan,
  OwnersSummary,
  PlanEvent,
  PlannedObject,
  ReportedError,
  ReturnedObject,
  RollbackEvent,
  RunDiagnostic,
  SeenDrift,
  StaleObject,
  StatusSummary,
  StrategyAdvice,
  UndoneAdoption,
  UnrepairedObject,
  WatchSummary,
} from '../../deploy/index.js';
import type { OtherPruner } from '../../engine/pruners/other-pruners.js';
import type { ExplainedField } from '../../inspect/explain/explain-fields.js';
import type { CheckedGuard } from '../../inspect/guard/check-guards.js';
import type { ObservedStack } from '../../inspect/observed-stacks.js';
import type { LookedUpConflict } from '../explain/look-up.js';

// One type for what each command prints with `-o json`, a line each: the files of schema/json are made of them (npm run json-schemas).

/** A stack that the program declares. */
export interface SynthesizedStack extends Pick<StackManifest, 'name' | 'manager' | 'dependsOn'> {
  readonly event: 'stack';
  /** The objects that it declares. */
  readonly objects: readonly IntentManifest[];
}

/** A warning about the program. */
export interface SynthWarning extends SynthDiagnostic {
  readonly event: 'warning';
}

/** The last line of a synth. */
export interface SynthSummary {
  readonly event: 'summary';
  readonly verb: 'synth';
  /** The name of the app. */
  readonly app: string;
  /** The name of the instance. */
  readonly instance: string;
  /** The directory of the assembly. */
  readonly directory: string;
  /** The number of stacks. */
  readonly stacks: number;
  /** The number of objects. */
  readonly objects: number;
  /** The number of warnings. */
  readonly warnings: number;
}

/** A line of `fieldwise synth -o json`. */
export type SynthLine = SynthesizedStack | SynthWarning | SynthSummary;

/** The environment of a line, where a diff plans several. */
export interface OfEnvironment {
  /** The name of the environment; absent unless `--env` names several. */
  readonly environment?: string;
}

/** A line of `fieldwise diff -o json`. */
export type DiffLine = PlanEvent & OfEnvironment;

/** A line of `fieldwise deploy -o json`. */
export type DeployLine = DeployEvent;

/** A line of `fieldwise destroy -o json`. */
export type DestroyLine = DeployEvent;

/** A line of `fieldwise history -o json`. */
export type HistoryLine = ListedRevision | RunDiagnostic;

/** A line of `fieldwise rollback -o json`: the plan, then the deploy. */
export type RollbackLine = RollbackEvent | DeployEvent;

/** A line of `fieldwise list -o json`. */
export interface ListLine extends ObservedStack {
  readonly event: 'stack';
}

/** A line of `fieldwise owners -o json`; with `--without`, of the planned release. */
export type OwnersLine = ObjectOwners | OwnersSummary | PlannedObject | RunDiagnostic;

/** The last line of an explanation. */
export interface ExplainSummary {
  readonly event: 'explain-summary';
  /** The number of explained conflicts; absent if fields are explained. */
  readonly conflicts?: number;
  /** The number of explained fields; absent if conflicts are explained. */
  readonly fields?: number;
  /** The exit code of the command line. */
  readonly exitCode: number;
}

/** A line of `fieldwise explain -o json`. */
export type ExplainLine = LookedUpConflict | ExplainedField | ExplainSummary;

/** A line of `fieldwise status -o json`. */
export type StatusLine = ObjectStatus | StatusSummary | RunDiagnostic;

/** A line of `fieldwise drift -o json`; with `--repair`, also of the deploy; with `--watch`, of the watch. */
export type DriftLine =
  | ObjectDrift
  | DriftSummary
  | ContendedField
  | UnrepairedObject
  | SeenDrift
  | DriftEnded
  | WatchSummary
  | DeployEvent;

/** A line of `fieldwise doctor -o json`; with `--objects`, of the diagnostics. */
export type DoctorLine = Check | StrategyAdvice | Orphan | ObjectDiagnostic | ObjectInspection;

/** The file that `--undo` takes. */
export interface AdoptionRecorded {
  readonly event: 'record';
  readonly file: string;
}

/** Nobody confirmed the adoption: each object follows as `skipped`. */
export interface AdoptionRefused {
  readonly event: 'refused';
  readonly error: ReportedError;
}

/** An object of a command that nobody confirmed. */
export interface NotConfirmed {
  readonly result: 'skipped';
  readonly reason: 'not confirmed';
}

/** An object that was adopted, or not. */
export type AdoptedObject = { readonly event: 'adoption' } & (Adoption | (Omit<Adoption, 'result'> & NotConfirmed));

/** An object whose stale entries were rewritten, or not. */
export type RewrittenObject = { readonly event: 'stale' } & (StaleObject | (Omit<StaleObject, 'result'> & NotConfirmed));

/** An object that an adoption leaves as it is: not deployed yet, released by its stack instead of deleted, or now deletable by its stack. */
export interface AdoptionFact {
  readonly event: 'not-deployed' | 'releasable' | 'deletable';
  /** `Kind namespace/name`. */
  readonly object: string;
}

/** Owners of `--from` that own none of the declared fields: a name may be misspelled. */
export interface AbsentOwnersFound extends AbsentOwners {
  readonly event: 'absent-owners';
}

/** An object that its stack will release instead of deleting it, because others apply fields to it. */
export interface RetainedObject {
  readonly event: 'retained';
  /** `Kind namespace/name`. */
  readonly object: string;
  /** The field managers of the others. */
  readonly by: readonly string[];
}

/** An object that another tool deletes once its files no longer contain it. */
export interface ObjectPrunedElsewhere extends Omit<OtherPruner, 'name'> {
  readonly event: 'pruned-elsewhere';
  /** `Kind namespace/name`. */
  readonly object: string;
}

/** An adoption that was undone, or could not be. */
export interface AdoptionUndone extends UndoneAdoption {
  readonly event: 'undone';
}

/** A member that was returned to its ApplySet, or could not be. */
export interface MemberReturned extends ReturnedObject {
  readonly event: 'returned';
}

/** An ApplySet before its members leave it. */
export interface ApplySetFound extends Omit<ApplySetPreview, 'adoptions'> {
  readonly event: 'applyset';
}

/** A member of an ApplySet that left it, or could not. */
export interface MemberLeft extends MemberResult {
  readonly event: 'member';
}

/** The record of an ApplySet could not be changed. */
export interface ApplySetFailed {
  readonly event: 'applyset-failed';
  readonly error: ReportedError;
}

/** A line of `fieldwise adopt -o json`; with `--from`, also of the deploy of objects whose fields a stack did not own yet. */
export type AdoptLine =
  | DeployEvent
  | AdoptionRecorded
  | AdoptionRefused
  | AdoptedObject
  | RewrittenObject
  | AdoptionFact
  | AbsentOwnersFound
  | RetainedObject
  | ObjectPrunedElsewhere
  | AdoptionUndone
  | MemberReturned
  | ApplySetFound
  | MemberLeft
  | ApplySetFailed;

/** A line of `fieldwise guard -o json`, with `--check`: the guard of a stack, compared with what the program declares. */
export interface GuardLine extends CheckedGuard {
  readonly event: 'guard';
}

/** A line of `fieldwise import --report -o json`: how the owners of a kind share its lists and maps. */
export interface ImportedKind extends KindReport {
  readonly event: 'kind';
}
