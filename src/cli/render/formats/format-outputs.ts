import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../../../assembly/types.js';
import type { DeployEvent, PlanEvent } from '../../../deploy/index.js';
import { packageFile } from '../../../util/package-file.js';
import { type Config, configFileName } from '../../config/config.js';
import type { FormatFlags, OutputFormat } from '../../config/flags.js';
import { checkOutputFiles, writeOutputFile } from '../../files/output-files.js';
import type { Host } from '../../process/host.js';
import { eventRenderer } from './event-renderer.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import type { RecordedRun } from './recorded-run.js';
import { RepositoryPositions } from './repository-positions.js';
import { RunRecorder } from './run-recorder.js';
import { sarif } from './sarif.js';

/** A plan or deploy, while it is recorded for the formats. */
export interface RunRecord {
  configured(config: Config): void;
  synthesized(manifest: Pick<Manifest, 'app' | 'instance' | 'warnings'>): void;
  event(event: PlanEvent | DeployEvent): void;
  /** Takes a saved plan. */
  saved(file: string, text: string): void;
  fail(error: unknown): Promise<void>;
}

/** The formats that flags ask for beside what a command prints event by event. They are written after its last run. */
export class FormatOutputs {
  readonly #verb: RecordedRun['verb'];
  readonly #flags: FormatFlags;
  readonly #host: Host;
  readonly #recorders: RunRecorder[] = [];
  /** The texts of the formats that are written event by event. */
  readonly #texts = new Map<OutputFormat, string[]>();

  /** @throws FieldwiseError `report-not-written` if a file cannot be written. */
  constructor(verb: RecordedRun['verb'], flags: FormatFlags, host: Host) {
    checkOutputFiles(flags.outputFile ?? [], host.cwd);
    this.#verb = verb;
    this.#flags = flags;
    this.#host = host;
    for (const { format } of flags.outputFile ?? []) if (format === 'text' || format === 'json') this.#texts.set(format, []);
  }

  get isEmpty(): boolean {
    return this.#recorders.length === 0;
  }

  /**
   * Begins the record of a run.
   *
   * @param heading the environment, if the command runs for several.
   */
  async begin(heading?: string): Promise<RunRecord> {
    const { cwd } = this.#host;
    const recorder = new RunRecorder(this.#verb, new RepositoryPositions(cwd, fileAmong([configFileName], cwd)), heading);
    this.#recorders.push(recorder);
    const renderers = await Promise.all(
      [...this.#texts].map(([format, texts]) =>
        eventRenderer(this.#verb, format, { host: this.#host, texts, heading, all: this.#flags.all }),
      ),
    );
    return {
      configured: (config) => recorder.configured(positionsOf(config, this.#host), config.environment),
      synthesized: (manifest) => {
        recorder.synthesized(manifest);
        for (const { warn } of renderers) manifest.warnings.forEach(warn);
      },
      event: (event) => {
        recorder.record(event);
        for (const { render } of renderers) render(event);
      },
      saved: (file, text) => recorder.saved(file, createHash('sha256').update(text).digest('hex')),
      fail: (error) => recorder.fail(error),
    };
  }

  /** Writes all files, and the format of standard output unless it is written event by event. */
  async write(): Promise<void> {
    const runs = this.#recorders.map((recorder) => recorder.finish());
    const { output = 'text', outputFile = [] } = this.#flags;
    if (output !== 'text' && output !== 'json') this.#host.raw.stdout(this.#text(output, runs));
    for (const file of outputFile) await writeOutputFile(file, this.#host.cwd, this.#text(file.format, runs));
  }

  #text(format: OutputFormat, runs: readonly RecordedRun[]): string {
    if (format === 'markdown') return markdown(runs, { all: this.#flags.all === true });
    if (format === 'junit') return junit(runs);
    if (format === 'sarif')
      return sarif(runs, (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version);
    return this.#texts.get(format)?.join('') ?? '';
  }
}

/** Positions of a program are relative to the project, and those of documents to the working directory. */
function positionsOf({ documents, directory, app, file }: Config, { cwd }: Host): RepositoryPositions {
  if (documents) return new RepositoryPositions(cwd, fileAmong(documents.paths, cwd));
  const program = app === undefined ? undefined : fileAmong([app], directory);
  return new RepositoryPositions(directory, program ?? (file && path.resolve(cwd, file)));
}

/** Returns the first path of a file; others are directories, standard input, or commands that run a program. */
function fileAmong(paths: readonly string[], directory: string): string | undefined {
  return paths.find((name) => statSync(path.resolve(directory, name), { throwIfNoEntry: false })?.isFile());
}
