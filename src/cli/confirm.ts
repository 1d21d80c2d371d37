import type { Question } from '../deploy/index.js';
import type { Host } from './host.js';
import { linesText } from './render/printable.js';

/** Answers questions of the engine: `--yes` says yes, a person at a terminal is asked, nobody else can be. */
export function confirmWith(host: Host, yes: boolean | undefined): (question: Question) => Promise<boolean> {
  return async (question) => {
    if (yes) return true;
    if (!host.interactive) return false;
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      host.stderr(linesText([`${question.text}:`, ...question.objects.map((object) => `  ${object}`)]));
      return /^y(es)?$/i.test((await reader.question(`${question.prompt ?? 'Go on?'} [y/N] `, { signal: host.signal })).trim());
    } finally {
      reader.close();
    }
  };
}
