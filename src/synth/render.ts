import type { IntentManifest, PartialObject, StackManifest } from '../assembly/index.js';
import { yamlWriter } from './yaml.js';

/** Returns the JSON file of a stack for the engine: an array with one object per line. */
export function jsonFileOf(objects: readonly PartialObject[]): string {
  if (objects.length === 0) return '[]\n';
  return `[\n${objects.map((object) => JSON.stringify(object)).join(',\n')}\n]\n`;
}

/** Returns the YAML file of a stack for people, reviews and kubectl: a document per object, with its declarations as comments. */
export function yamlFileOf(
  app: { readonly name: string; readonly instance: string },
  stack: Pick<StackManifest, 'name' | 'manager' | 'intents'>,
  file: string,
  objects: readonly PartialObject[],
): string {
  const header = [
    `# Stack ${oneLine(stack.name)} of app ${oneLine(app.name)}, instance ${oneLine(app.instance)}. Written by fieldwise synth; do not edit.`,
    `# Field manager: ${stack.manager}`,
    `# kubectl apply --server-side --field-manager ${stack.manager} -f ${file}`,
  ];
  const yamlOf = yamlWriter();
  const documents = objects.map((object, index) => `---\n${declarationText(stack.intents[index])}${yamlOf(object)}`);
  return `${header.join('\n')}\n${documents.join('')}`;
}

function declarationText(intent: IntentManifest | undefined): string {
  const lines = intent?.declaredBy.map(
    ({ construct, source }) => `# ${intent.lifecycle}: ${oneLine(construct)}${source ? ` (${oneLine(source)})` : ''}\n`,
  );
  return lines?.join('') ?? '';
}

/** Replaces characters that end a comment, or that parsers reject even in comments. */
function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/g, '?');
}
