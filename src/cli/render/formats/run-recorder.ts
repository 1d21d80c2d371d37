import type { Manifest, SynthDiagnostic } from '../../../assembly/types.js';
import type { DeployEvent, PlanEvent, RunDiagnostic } from '../../../deploy/index.js';
import { FieldwiseError } from '../../../util/error.js';
import { recordObjectReport } from './record-object-report.js';
import { recordPlannedObject } from './record-planned-object.js';
import type { RecordedError, RecordedObject, RecordedRun, RecordedWarning } from './recorded-run.js';
import type { RepositoryPositions } from './repository-positions.js';
import { errorPhrase } from './sentences.js';

/** Collects the events of a plan or a deploy for the formats that show it as a whole. */
export class RunRecorder {
  readonly #verb: RecordedRun['verb'];
  #environment: string | undefined;
  readonly #ofWorkingDirectory: RepositoryPositions;
  #positions: RepositoryPositions;
  readonly #objects: RecordedObject[] = [];
  readonly #warnings: RecordedWarning[] = [];
  readonly #errors: RecordedError[] = [];
  #manifest: Pick<Manifest, 'app' | 'instance'> | undefined;
  #saved: RecordedRun['saved'];

  /**
   * @param positions those of the working directory, to which errors of files are relative.
   * @param environment the environment, if it is known already.
   */
  constructor(verb: RecordedRun['verb'], positions: RepositoryPositions, environment?: string) {
    this.#verb = verb;
    this.#ofWorkingDirectory = positions;
    this.#positions = positions;
    this.#environment = environment;
  }

  /** Takes the positions of the program, and the chosen environment. */
  readonly configured = (positions: RepositoryPositions, environment: string | undefined): void => {
    this.#positions = positions;
    this.#environment = environment;
  };

  /** Takes the names of the app and its instance, and the warnings of synth. */
  readonly synthesized = (manifest: Pick<Manifest, 'app' | 'instance' | 'warnings'>): void => {
    this.#manifest = manifest;
    this.#warnings.push(...manifest.warnings.map(synthWarning));
  };

  readonly record = (event: PlanEvent | DeployEvent): void => {
    if (event.event === 'plan') this.#objects.push(recordPlannedObject(event));
    else if (event.event === 'object') this.#objects.push(recordObjectReport(event));
    else if (event.event === 'warning') this.#warnings.push(runWarning(event));
    else if (event.event === 'refused') this.#addError(event.error);
    else if (event.event === 'summary') for (const error of event.errors) this.#addError(error);
  };

  /** Takes the saved plan. */
  readonly saved = (file: string, sha256: string): void => {
    this.#saved = { file, sha256 };
  };

  /** Takes the error that ended the run, unless an event has reported it, with values of Secrets masked. */
  readonly fail = async (error: unknown): Promise<void> => {
    const { explain } = await import('../../../engine/report/explain.js');
    const reported = explain(error);
    if (this.#errors.some(({ code }) => code === reported.code)) return;
    const { source, file } = error instanceof FieldwiseError ? error.location : {};
    const position = this.#positions.find(source) ?? this.#ofWorkingDirectory.find(file);
    this.#addError({ ...reported, ...(position === undefined ? {} : { position }) });
  };

  finish(): RecordedRun {
    return {
      verb: this.#verb,
      ...(this.#environment === undefined ? {} : { environment: this.#environment }),
      ...(this.#manifest ? { app: this.#manifest.app, instance: this.#manifest.instance } : {}),
      positions: this.#positions,
      objects: this.#objects,
      warnings: this.#warnings,
      errors: this.#errors,
      ...(this.#saved ? { saved: this.#saved } : {}),
    };
  }

  /** A refusal is an event and an error of the summary. */
  #addError({ code, message, next, position }: RecordedError): void {
    if (this.#errors.some((known) => known.code === code && known.message === message)) return;
    this.#errors.push({ code, message, ...(next === undefined ? {} : { next }), ...(position === undefined ? {} : { position }) });
  }
}

function synthWarning({ code, message, construct, source }: SynthDiagnostic): RecordedWarning {
  const declaredBy = construct === undefined ? [] : [{ construct, ...(source === undefined ? {} : { source }) }];
  return { code, text: errorPhrase({ message }), declaredBy };
}

function runWarning({ code, message, next }: RunDiagnostic): RecordedWarning {
  return { code, text: errorPhrase(next === undefined ? { message } : { message, next }), declaredBy: [] };
}
