import type { SynthDiagnostic } from '../../../assembly/types.js';
import type { DeployEvent, PlanEvent } from '../../../deploy/index.js';
import type { OutputFormat } from '../../config/flags.js';
import type { Host } from '../../process/host.js';
import { withEnvironment } from '../json-renderer.js';
import { printableOutput } from '../printable.js';
import { printWarnings } from '../warning-renderer.js';
import type { RecordedRun } from './recorded-run.js';

/** Renders a run event by event. */
export interface EventRenderer {
  render(event: PlanEvent | DeployEvent): void;
  /** Renders a warning of synth. */
  warn(warning: SynthDiagnostic): void;
}

interface EventRendererOptions {
  readonly host: Host;
  /** Receives the texts. */
  readonly texts: string[];
  /** The environment, if the command runs for several. */
  readonly heading: string | undefined;
  readonly all: boolean | undefined;
}

/** Returns a renderer for the file of a format that a terminal gets event by event, too. */
export async function eventRenderer(
  verb: RecordedRun['verb'],
  format: OutputFormat,
  { host, texts, heading, all = false }: EventRendererOptions,
): Promise<EventRenderer> {
  const append = (text: string) => void texts.push(text);
  const { columns: _, width: __, ...rest } = host;
  const print = (text: string) => append(printableOutput(text));
  const file: Host = {
    ...rest,
    color: false,
    colorsMessages: false,
    stdout: print,
    stderr: print,
    raw: { stdout: append, stderr: append },
  };
  if (format === 'json') {
    const { jsonRenderer } = await import('../json-renderer.js');
    return { render: jsonRenderer(heading === undefined ? file : withEnvironment(file, heading)), warn: () => {} };
  }
  if (heading !== undefined) print(`${texts.length === 0 ? '' : '\n'}environment ${heading}\n`);
  const render =
    verb === 'plan'
      ? (await import('../plan-renderer.js')).planRenderer(file, { all })
      : (await import('../run-renderer.js')).runRenderer(file);
  return { render: render as EventRenderer['render'], warn: (warning) => printWarnings([warning], file) };
}
