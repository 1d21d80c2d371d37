import type { Interface } from 'node:readline/promises';
import type { Question } from '../deploy/index.js';
import { FieldwiseError } from '../util/error.js';
import type { Host } from './host.js';
import { linesText } from './render/printable.js';

/**
 * Answers questions of the engine: `--yes` says yes, a person at a terminal is asked, nobody else can be. The end of the input says no.
 *
 * @throws FieldwiseError `interrupted` where the person presses Ctrl-C instead of an answer.
 */
export function confirmWith(host: Host, yes: boolean | undefined): (question: Question) => Promise<boolean> {
  return async (question) => {
    if (yes) return true;
    if (!host.interactive) return false;
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      host.stderr(linesText([`${question.text}:`, ...question.objects.map((object) => `  ${object}`)]));
      return /^y(es)?$/i.test((await answerTo(`${question.prompt ?? 'Go on?'} [y/N] `, reader, host.signal)).trim());
    } finally {
      reader.close();
    }
  };
}

/** The reader takes the keys of the terminal, so that Ctrl-C is no signal while it asks. */
function answerTo(prompt: string, reader: Interface, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const interrupted = () => reject(new FieldwiseError('interrupted', 'interrupted', 'Interrupted'));
    reader.once('SIGINT', interrupted);
    reader.once('close', () => resolve(''));
    reader.question(prompt, { signal }).then(resolve, () => (signal.aborted ? interrupted() : resolve('')));
  });
}
