import { documentPath } from '../document-path.js';
import type { RecordedRun } from './recorded-run.js';

const words = [
  '**stack**: a group of objects that is deployed as a unit. **instance**: one installation of an app, such as `staging`.',
  '**takes** a field: another manager owns it with another value. The value is overwritten, and the other manager loses the field.',
  '**releases** a field: the program no longer declares it. The server removes it or sets its default, unless somebody else owns it.',
  '**owns together with**: several managers set the same value. Nobody loses anything.',
  '**leaves** a field to its owner: it stays as it is.',
  '**existing** object: it existed before, and this stack owns fields of it from now on.',
  '**not compared**: a value could not be read, so nothing shows whether a deploy changes it.',
  '**not judged by the server**: it refuses the object until the deploy has changed others, so the schema predicts the change.',
  '**+ ~ −**: created, updated and deleted objects. **own fields only**: nobody else loses anything, and nothing is removed; the change itself is not judged. **risky**: somebody else loses something, a value or an object is removed, or the change is one of rights, privileges of pods, selectors or replicas to 0: look before you approve.',
  '**blocked**: the deploy of the object would fail, or would not begin. **failed**: the deploy of the object failed.',
];

/** Returns the meaning of the words of plans and deploys in Markdown, folded; nothing if there is no object to which they apply. */
export function wordsText(runs: readonly RecordedRun[]): string {
  if (runs.every(({ objects }) => objects.length === 0)) return '';
  const more = `More: \`${documentPath('formats')}\` about this document, \`${documentPath('glossary')}\` about all words.`;
  return `\n<details><summary>What do these words mean?</summary>\n\n${words.map((one) => `- ${one}\n`).join('')}\n${more}\n\n</details>\n`;
}
