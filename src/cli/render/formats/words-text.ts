import { documentPath } from '../document-path.js';
import type { RecordedRun } from './recorded-run.js';
import { effectWords } from './words-of-effects.js';

const words = [
  '**stack**: a group of objects that is deployed as a unit. **instance**: one installation of an app, such as `staging`.',
  ...effectWords.map(({ plan, deploy, said, meaning }) => {
    const inText = plan === deploy ? plan : `${plan}; of a deploy: ${deploy}`;
    return `**${said}** (in the text: ${inText}): ${meaning}.`;
  }),
  '**existing** object: it existed before, and this stack owns fields of it from now on.',
  '**not compared**: a value could not be read, so nothing shows whether a deploy changes it.',
  '**not judged by the server**: it refuses the object until the deploy has changed others, so the schema predicts the change.',
  '**+ ~ −**: created, updated and deleted objects. **own fields only**: nobody else loses anything, and nothing is removed; the change itself is not judged. **risky**: somebody else loses something, or a value or an object is removed. **risky, in own fields only**: rights, privileges of pods, selectors or replicas to 0 change, and nobody else loses anything. Look at both before you approve.',
  '**blocked**: the deploy of the object would fail, or would not begin. **failed**: the deploy of the object failed.',
];

/** Returns the meaning of the words of plans and deploys in Markdown, folded; nothing if there is no object to which they apply. */
export function wordsText(runs: readonly RecordedRun[]): string {
  if (runs.every(({ objects }) => objects.length === 0)) return '';
  const more = `More: \`${documentPath('formats')}\` about this document, \`${documentPath('glossary')}\` about all words.`;
  return `\n<details><summary>What do these words mean?</summary>\n\n${words.map((one) => `- ${one}\n`).join('')}\n${more}\n\n</details>\n`;
}
