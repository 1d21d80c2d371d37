import { Argument, type Command } from 'commander';
import type { Host } from '../host.js';

/** Adds `fieldwise completion`. */
export function registerCompletion(program: Command, host: Host): void {
  program
    .command('completion')
    .summary('print a script that completes commands and flags in a shell')
    .description('Prints a script that completes commands and flags in a shell. Load it in bash with: source <(fieldwise completion bash)')
    .addArgument(new Argument('<shell>', 'shell that loads the script').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../completion.js');
      host.stdout(completionScript(program, shell));
    });
}
