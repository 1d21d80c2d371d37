import type { Command, CommanderError } from 'commander';
import { renamedFlag } from './renamed-flags.js';

/** The command or flag of Fieldwise for what people know from other tools, by its name there. */
const commands: Readonly<Record<string, string>> = {
  apply: '`fieldwise deploy` applies the objects that the program declares; `fieldwise deploy -f FILE --stack NAME` those of a file.',
  up: '`fieldwise deploy` applies the objects that the program declares, and prunes the others.',
  install: '`fieldwise deploy` applies the objects that the program declares.',
  upgrade: '`fieldwise deploy` applies the objects that the program declares, the first time and every time after.',
  sync: '`fieldwise deploy` applies the objects that the program declares, and prunes the others.',
  preview: '`fieldwise diff` shows what a deploy would change, and changes nothing.',
  plan: '`fieldwise diff` shows what a deploy would change; `--output-file plan=FILE` saves the plan for `fieldwise deploy --plan FILE`.',
  template: '`fieldwise synth -p` prints the declared objects as YAML.',
  build: '`fieldwise synth` writes the declared objects as YAML.',
  delete: '`fieldwise destroy` deletes the objects that stacks own, and releases those that they share.',
  down: '`fieldwise destroy` deletes the objects that stacks own, and releases those that they share.',
  uninstall: '`fieldwise destroy` deletes the objects that stacks own, and releases those that they share.',
  get: '`fieldwise status` shows the declared objects, and `fieldwise list` the stacks in the cluster.',
  new: '`fieldwise init` creates a project.',
  create: '`fieldwise init` creates a project, and `fieldwise deploy` the declared objects.',
};

const flags: Readonly<Record<string, string>> = {
  '--dry-run': '`fieldwise diff` shows what a deploy would change, by dry runs of the server, and changes nothing.',
  '--server-side': 'Every deploy is a server-side apply: leave the flag out.',
  '--force-conflicts': 'The policy `conflicts` decides: `force` is the default, `fail` and `yield` are the others.',
  '--force':
    'The policy `conflicts` decides who wins a field: `force` is the default, `fail` and `yield` are the others. `--yes` answers the questions before a field is taken.',
  '--field-manager': 'The field manager follows from the names of app, instance and stack; `fieldwise synth -o json` prints it.',
  '--context': 'A context of the kubeconfig is chosen with `--kube-context NAME`, and an environment of fieldwise.yaml with `-e NAME`.',
  '--stack':
    '`--stack NAME` names the stack of documents, beside `-f` of synth, diff, deploy, destroy, status and others; stacks of a program are arguments, such as in `fieldwise deploy web`.',
  '--auto-approve': '`--yes` answers every question with yes.',
};

/**
 * Returns a sentence for people who know another tool, if a word of the command line is one of its commands or flags, or for a flag that stands
 * before its command.
 *
 * @param known the commands.
 */
export function pointerTo(
  { code, message }: Pick<CommanderError, 'code' | 'message'>,
  words: readonly string[],
  known: readonly Command[],
): string | undefined {
  if (code === 'commander.unknownCommand') return pointerText(commands, words.find((word) => !word.startsWith('-')) ?? '');
  if (code !== 'commander.unknownOption') return undefined;
  const command = known.find((one) => one.name() === words.find((word) => known.some((other) => other.name() === word)));
  const [, unknown = ''] = /unknown option '([^']*)'/.exec(message) ?? [];
  const renamed = command && renamedFlag(command, unknown, words);
  if (renamed !== undefined) return renamed;
  for (const word of words) {
    const text = pointerText(flags, word.split('=')[0] ?? '');
    if (text !== undefined) return text;
  }
  const first = words[0]?.split('=')[0];
  if (command === undefined || !first?.startsWith('-')) return undefined;
  return `The flags of a command stand after it: \`fieldwise ${command.name()} ${first} …\`.`;
}

/** The next step for a value of `--context` that is not KEY=VALUE. */
export const contextPointer = `\`--context\` sets a context value of the program, such as \`-c replicas=2\`. ${flags['--context']}`;

function pointerText(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
