import { Argument, type Command } from 'commander';
import type { Host } from '../host.js';

/** Adds `fieldwise completion`. */
export function registerCompletion(program: Command, host: Host): void {
  program
    .command('completion')
    .description('print a script that completes commands and flags: source <(fieldwise completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../completion.js');
      host.stdout(completionScript(program, shell));
    });
}
