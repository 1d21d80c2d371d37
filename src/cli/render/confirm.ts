import type { Interface } from 'node:readline/promises';
import type { Question } from '../../deploy/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Host } from '../process/host.js';
import { linesText } from './printable.js';
import { reportWidth, wrapText } from './wrap.js';

/**
 * Returns a function that answers questions of the engine: the answer of the user at a terminal, else no. The end of the input means no.
 *
 * @param file the paths of `--file`: if they contain standard input, the answers are read from the terminal device.
 * @param unasked a sentence about effects that no question names.
 * @throws FieldwiseError `interrupted` if the user presses Ctrl-C.
 */
export function confirmAtTerminal(host: Host, file: readonly string[] = [], unasked?: string): (question: Question) => Promise<boolean> {
  return async (question) => {
    const device = file.includes('-') ? host.openTerminal?.() : undefined;
    if (!host.interactive && device === undefined) return false;
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input: device ?? process.stdin, output: process.stderr });
    try {
      const lines = [`${question.text}:`, ...question.objects.map((object) => `  ${object}`), ...(unasked === undefined ? [] : [unasked])];
      host.stderr(wrapText(linesText(lines), host.columns ?? reportWidth));
      return /^y(es)?$/i.test((await answerTo(`${question.prompt ?? 'Continue?'} [y/N] `, reader, host.signal)).trim());
    } finally {
      reader.close();
      device?.destroy();
    }
  };
}

/** Asks one question. The reader receives Ctrl-C as a key, because it is not a signal while the reader reads the terminal. */
function answerTo(prompt: string, reader: Interface, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const interrupted = () => reject(new FieldwiseError('interrupted', 'interrupted', 'Interrupted'));
    reader.once('SIGINT', interrupted);
    reader.once('close', () => resolve(''));
    reader.question(prompt, { signal }).then(resolve, () => (signal.aborted ? interrupted() : resolve('')));
  });
}
