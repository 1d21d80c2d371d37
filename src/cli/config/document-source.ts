import type { Command } from 'commander';
import type { Lifecycle } from '../../assembly/policy-vocabulary.js';
import { FieldwiseError } from '../../util/error.js';

export const helmHookModes = ['skip', 'order', 'refuse'] as const;
/** The treatment of Helm hooks in documents. */
export type HelmHookMode = (typeof helmHookModes)[number];

/** The name of the app of documents, unless the configuration names one. */
export const defaultAppName = 'documents';

/** Documents that are deployed without a program. */
export interface DocumentSource {
  /** Files, directories and `-`, as the user named them; empty if only the stack is named. */
  readonly paths: readonly string[];
  readonly stack: string;
  /** The lifecycle of objects without an annotation that sets it. */
  readonly lifecycle: Lifecycle;
  readonly helmHooks: HelmHookMode;
}

/** The flags about documents, not validated yet. */
export interface DocumentFlags {
  readonly file?: readonly string[] | undefined;
  readonly stack?: string | undefined;
  readonly own?: boolean | undefined;
  readonly share?: boolean | undefined;
  readonly helmHooks?: string | undefined;
}

/** Other flags, which decide whether documents can be used. */
interface OtherFlags {
  readonly app?: string | undefined;
  readonly name?: string | undefined;
  readonly context?: readonly string[] | undefined;
  readonly pruneStacks?: boolean | undefined;
}

/** Adds the flags about documents. */
export function addDocumentFlags(command: Command): Command {
  return addFileFlag(command, 'take the objects from documents instead of a program; needs --stack')
    .option('--stack <name>', 'with --file: the stack (group of objects, with its own field manager) that the documents declare')
    .option('--name <app>', appNameHelp)
    .option('--own', 'with --file: the stack owns the objects, creates them and deletes them (the default)')
    .option('--share', 'with --file: the stack shares the objects, and only contributes fields to them')
    .option(
      '--helm-hooks <mode>',
      'with --file: skip Helm hooks; order: apply those of an install before and after the other objects; or refuse documents with hooks (default: skip). Each hook is named',
    );
}

/** Help of `--name`. */
export const appNameHelp =
  'name of the app, part of every field manager, unless the program sets it (default: `name` in fieldwise.yaml, else documents with --file)';

/** Adds `--file`, which is repeatable. */
export function addFileFlag(command: Command, purpose: string): Command {
  return command.option(
    '-f, --file <path>',
    `${purpose}. A YAML or JSON file, a directory with all such files at and below it, or - for standard input; repeatable`,
    (path: string, before: string[] = []) => [...before, path],
  );
}

/**
 * Validates the flags about documents.
 *
 * @param program the program that the configuration names, if any.
 * @returns undefined if there are none.
 * @throws FieldwiseError `documents-misused`, `flag-without-use`, `flag-invalid`.
 */
export function documentSourceOf(flags: DocumentFlags & OtherFlags, program: string | undefined): DocumentSource | undefined {
  const { file: paths = [], stack, own, share, helmHooks = 'skip' } = flags;
  if (stack === undefined) {
    const useless = Object.entries({ '--own': own, '--share': share, '--helm-hooks': flags.helmHooks }).find(
      ([, value]) => value !== undefined,
    );
    if (paths.length > 0)
      throw misused('`--file` names no stack', 'Pass `--stack NAME`: a deploy prunes what the documents of this stack no longer declare.');
    if (useless) throw withoutUse(useless[0], 'without `--file` and `--stack`');
    return undefined;
  }
  if (stack.trim() === '') throw misused('`--stack` is empty', 'Pass the name of a stack.');
  if (own && share) throw misused('`--own` and `--share` contradict each other', 'Pass one of them.');
  if (flags.pruneStacks) {
    throw withoutUse(
      '--prune-stacks',
      'with `--stack`: the other stacks of the app may come from other documents',
      'Run `fieldwise destroy --stack NAME` for each stack that is no longer needed.',
    );
  }
  if (flags.context !== undefined) throw withoutUse('--context', 'with `--stack`: documents read no context values');
  if (flags.app !== undefined) throw misused('`--app` names a program, and `--stack` a stack of documents', 'Leave one of them out.');
  if (program !== undefined && flags.name === undefined) {
    throw misused(
      `The configuration names a program (\`app: ${program}\`), and the documents would belong to the same app: a stack of the program with the same name would lose its objects`,
      'Pass `--name` with another app name, or `--config` with a file without `app`.',
    );
  }
  const mode = helmHookModes.find((known) => known === helmHooks);
  if (mode === undefined) {
    throw new FieldwiseError('flag-invalid', 'usage', `\`--helm-hooks ${helmHooks}\` is not one of ${helmHookModes.join(', ')}`);
  }
  return { paths, stack, lifecycle: share ? 'share' : 'own', helmHooks: mode };
}

function misused(what: string, next: string): FieldwiseError {
  return new FieldwiseError('documents-misused', 'usage', what, { next });
}

function withoutUse(flag: string, when: string, next = `Leave out \`${flag}\`.`): FieldwiseError {
  return new FieldwiseError('flag-without-use', 'usage', `\`${flag}\` has no effect ${when}`, { next });
}
