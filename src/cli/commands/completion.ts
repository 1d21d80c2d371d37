import { Argument, type Command } from 'commander';
import type { Shell } from '../completion/completion.js';
import { type ValueList, valueLists } from '../completion/completion-values.js';
import type { Host } from '../process/host.js';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** Adds `fieldwise completion`. */
export function registerCompletion(program: Command, host: Host): void {
  program
    .command('completion')
    .summary('print a script that completes commands and flags in a shell')
    .description(
      'Prints a script that completes commands, flags and their values in a shell. Load it in bash with: source <(fieldwise completion bash). The script asks for the environments of fieldwise.yaml, the contexts of the kubeconfig, the stacks of the last synth and the runs in their history by the same command.',
    )
    .addArgument(new Argument('<shell>', 'shell that loads the script, or a list of names').choices([...shells, ...valueLists]))
    .action(async (wanted: Shell | ValueList) => {
      if (isList(wanted)) {
        const { completionValues } = await import('../completion/completion-values.js');
        host.stdout((await completionValues(wanted, host)).map((name) => `${name}\n`).join(''));
        return;
      }
      const { completionScript } = await import('../completion/completion.js');
      host.stdout(completionScript(program, wanted));
    });
}

function isList(wanted: Shell | ValueList): wanted is ValueList {
  return (valueLists as readonly string[]).includes(wanted);
}
