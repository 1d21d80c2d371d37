import type { Command } from 'commander';
import type { Host } from '../host.js';

interface ExplainFlags {
  readonly file?: string;
  readonly json?: boolean;
}

/** Adds `fieldwise explain`. */
export function registerExplain(program: Command, host: Host): void {
  program
    .command('explain')
    .summary('explain a conflict that kubectl, Helm or another tool printed')
    .description(
      'Explains a conflict over fields that kubectl, Helm, Flux, Argo CD, Pulumi, Terraform or Crossplane printed: who owns each field, what each owner does next, and the ways out in that tool and in Fieldwise. Needs no program and no cluster. Example: helm upgrade web ./chart 2>&1 | fieldwise explain -',
    )
    .argument(
      '[what...]',
      '- for standard input, or the message as one quoted argument; then KIND/NAME of the object, if the message names none, as those of kubectl',
    )
    .option('-f, --file <path>', 'read the message from this file; - for standard input')
    .option('-j, --json', 'print the conflicts as JSON, one per line; the last line is the summary')
    .action(async (words: readonly string[], { file, json }: ExplainFlags) => {
      const { subjectOf } = await import('../explain/subject.js');
      const { readMessage } = await import('../explain/read-message.js');
      const subject = subjectOf(words, file);
      const text = await readMessage(subject.message, host);
      const { explainText } = await import('../../inspect/explain/explain-text.js');
      const conflicts = explainText(text, subject.object);
      if (json) {
        const print = (await import('../render/json-renderer.js')).jsonRenderer(host);
        for (const conflict of conflicts) print(conflict);
        print({ event: 'explain-summary', conflicts: conflicts.length, exitCode: 0 });
        return;
      }
      const print = (await import('../render/explain-renderer.js')).explainRenderer(host);
      for (const conflict of conflicts) print(conflict);
    });
}
