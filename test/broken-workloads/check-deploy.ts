import { programOf } from '../harness/program-text.js';
import type { BrokenWorkload } from './broken-workload.js';
import type { BrokenDeploy } from './deploy-broken.js';

/** The seconds that may pass between the moment at which a cause is certain and the end of the deploy. */
const maxLateSeconds = 10;

/**
 * Returns what a deploy of a broken workload said wrongly, or too late.
 *
 * @param isTimed false where the load of the machine is unknown.
 */
export function checkDeploy(workload: BrokenWorkload, { exitCode, output, late }: BrokenDeploy, isTimed: boolean): readonly string[] {
  const problems: string[] = [];
  if (exitCode !== 4) problems.push(`exit code ${exitCode}, not 4`);
  const failure = failureOf(output);
  if (failure === undefined) problems.push('no line says that it has failed');
  else if (!workload.failure.test(failure)) problems.push(`the failure is ${failure}`);
  const line = lineOf(workload);
  const set = output.split('\n').find((text) => /^ +set /.test(text));
  if (!set?.includes(` ${workload.field} `)) problems.push(`the field is not ${workload.field}: ${set}`);
  if (!set?.includes(`(main.ts:${line}:`)) problems.push(`the declaration is not on line ${line} of the program: ${set}`);
  const lastLine = workload.log?.trim().split('\n').at(-1);
  if (lastLine !== undefined && !output.includes(`| ${lastLine}`)) problems.push(`the log is not shown`);
  if (isTimed && late !== undefined && late > maxLateSeconds) problems.push(`it ended ${late.toFixed(1)} s after the cause was certain`);
  return problems;
}

/** Returns the text of the failure, which is the first line about the workload. */
export function failureOf(output: string): string | undefined {
  return /^ +Failed: (.*)$/m.exec(output)?.[1];
}

/** Returns the line of a declaration in the program. */
function lineOf({ stacks, declared }: BrokenWorkload): number {
  const lines = programOf(stacks).split('\n');
  return lines.findIndex((text) => text.includes(`new Stack(app, "${declared.stack}")`)) + 2 + declared.index;
}
