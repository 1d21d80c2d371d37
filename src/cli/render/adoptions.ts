import type { AbsentOwners, AdoptionResult } from '../../deploy/adopt/adopt.js';
import type { Adoption, ReportedError } from '../../deploy/index.js';
import { exitCodeOf, sentence } from '../../util/error.js';
import { pluralize } from '../../util/pluralize.js';
import type { AdoptLine, NotConfirmed } from '../json/lines.js';
import type { Host } from '../process/host.js';
import { jsonRenderer } from './json-renderer.js';
import { quoted } from './printable.js';

/** Flags that decide how the result of an adoption is printed. */
interface AdoptionOutput {
  readonly json?: boolean;
  readonly withDeletion?: boolean;
}

/** Prints the result of an adoption, and sets the exit code. */
export function printAdoptions(result: AdoptionResult, flags: AdoptionOutput, host: Host): void {
  const { adoptions, transferredLifecycles } = result;
  printFacts(result, flags, host);
  const json = flags.json ? jsonRenderer<AdoptLine>(host) : undefined;
  for (const adoption of adoptions)
    if (json) json({ event: 'adoption', ...adoption });
    else host.stdout(failureText(quoted(adoption)));
  for (const object of transferredLifecycles) {
    if (json) json({ event: 'deletable', object });
    else host.stdout(`its stack now has the right to delete it: ${object}\n`);
  }
  const failed = adoptions.filter(({ result }) => result === 'failed').length;
  if (!flags.json) host.stdout(`${doneText(adoptions.length - failed, failed, transferredLifecycles.length)}\n`);
  if (failed > 0) host.setExitCode(exitCodeOf('resource'));
}

/** Prints the objects that an adoption leaves as they are, and why. */
function printFacts(
  { adoptions, notDeployed, released, retained, prunedElsewhere, absentOwners }: AdoptionResult,
  flags: AdoptionOutput,
  host: Host,
): void {
  const json = flags.json ? jsonRenderer<AdoptLine>(host) : undefined;
  const print = (event: AdoptLine, text: string | undefined, write = host.stdout) => {
    if (json) json(event);
    else if (text !== undefined) write(`${text}\n`);
  };
  if (absentOwners !== undefined) print({ event: 'absent-owners', ...absentOwners }, absentText(absentOwners));
  for (const object of notDeployed) print({ event: 'not-deployed', object }, `not deployed yet, not changed: ${object}`);
  for (const object of released) {
    const text = `its stack will release it and not delete it, unless you pass --with-deletion: ${object}`;
    print({ event: 'releasable', object }, flags.withDeletion === undefined ? text : undefined);
  }
  for (const { object, by } of flags.withDeletion ? retained : []) {
    const others = `${by.join(', ')} appl${by.length > 1 ? 'y' : 'ies'} fields to it`;
    const takeOver = adoptions.length > 0 ? '' : ` (\`--from ${by[0]}\` takes over the fields that the stack declares)`;
    print({ event: 'retained', object, by }, `its stack will release it and not delete it, because ${others}: ${object}${takeOver}`);
  }
  for (const { object, code, message, next } of prunedElsewhere)
    print({ event: 'pruned-elsewhere', object, code, message, next }, `warning: ${object}: ${message}. ${next} [${code}]`, host.stderr);
}

/** A name that is misspelled is seen beside the others. */
function absentText({ names, others }: AbsentOwners): string {
  const owners = others.length === 0 ? 'Nobody else owns one of them' : `Other owners of these are ${others.join(', ')}`;
  return `${names.join(' and ')} own${names.length === 1 ? 's' : ''} none of the declared fields. ${owners}.`;
}

/** The outcome of each object of a command that nobody confirmed. */
export const notConfirmed: NotConfirmed = { result: 'skipped', reason: 'not confirmed' };

/** Returns the lines of adoptions that nobody confirmed. */
export function refusedAdoptions(shown: readonly Adoption[]): readonly AdoptLine[] {
  return shown.map((adoption) => ({ event: 'adoption', ...adoption, ...notConfirmed }));
}

/** Returns an adoption before it is carried out. */
export function previewText({ object, stack, to, transfers, lastApplied, lastAppliedFields = [] }: Adoption): string {
  const lines = [`${object}, to stack ${stack} (${to})`];
  for (const { from, fields } of transfers) {
    lines.push(`  from ${from}`);
    for (const field of fields) lines.push(`    ${field}`);
  }
  if (lastApplied !== undefined) {
    const given = new Set(transfers.flatMap(({ fields }) => fields));
    const others = lastAppliedFields.filter((field) => !given.has(field));
    const alike = given.size > 0 && others.length === 0;
    lines.push(
      `  the last-applied annotation of kubectl ${lastApplied === 'removed' ? 'is removed' : alike ? 'loses these fields' : 'loses fields of the stack'}`,
      ...others.map((field) => `    ${field}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

function failureText({ object, result, error }: Adoption): string {
  return result === 'failed' ? failedText(object, error) : '';
}

/** Returns an object that failed, with its error. */
export function failedText(object: string, error: ReportedError | undefined): string {
  if (error === undefined) return `FAILED ${object}\n`;
  const { message, next, code } = error;
  return `FAILED ${object}: ${sentence(message)}${next ? ` ${sentence(next)}` : ''} [${code}]\n`;
}

function doneText(adopted: number, failed: number, transferredLifecycles: number): string {
  if (adopted + failed + transferredLifecycles === 0) return 'nothing to adopt';
  const facts = [
    adopted + failed > 0 ? `${pluralize(adopted, 'object')} adopted` : '',
    transferredLifecycles > 0 ? `the right to delete ${pluralize(transferredLifecycles, 'object')} adopted` : '',
  ];
  return facts.filter((fact) => fact !== '').join('; ');
}
