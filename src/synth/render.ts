import { digestOf, type IntentManifest, type PartialObject, type StackManifest } from '../assembly/index.js';
import { stringifyExactJson } from '../util/exact-json.js';
import { fileNameOf } from './file-name.js';
import { yamlWriter } from './yaml.js';

type RenderedStack = Pick<StackManifest, 'name' | 'manager' | 'intents'>;

/** Renders the files of a stack, and returns their digests. */
export type Render = (
  app: { readonly name: string; readonly instance: string },
  stack: RenderedStack,
  objects: readonly PartialObject[],
) => Pick<StackManifest, 'json' | 'yaml'>;

/** Returns a function that renders the files of a stack into a map. */
export function renderTo(files: Map<string, string>): Render {
  const write = (path: string, content: string) => {
    files.set(path, content);
    return { path, sha256: digestOf(content) };
  };
  return (app, stack, objects) => {
    const file = fileNameOf(stack.name);
    return {
      json: write(`${file}.json`, jsonFileOf(objects)),
      yaml: write(`${file}.yaml`, yamlFileOf(app, stack, `${file}.yaml`, objects)),
    };
  };
}

/** Returns the JSON file of a stack for the engine: an array with one object per line. */
export function jsonFileOf(objects: readonly PartialObject[]): string {
  if (objects.length === 0) return '[]\n';
  return `[\n${objects.map((object) => stringifyExactJson(object)).join(',\n')}\n]\n`;
}

/** Returns the YAML file of a stack for people, reviews and kubectl: a document per object, with its declarations as comments. */
export function yamlFileOf(
  app: { readonly name: string; readonly instance: string },
  stack: RenderedStack,
  file: string,
  objects: readonly PartialObject[],
): string {
  const header = [
    `# Stack ${oneLine(stack.name)} of app ${oneLine(app.name)}, instance ${oneLine(app.instance)}. Written by fieldwise synth; do not edit.`,
    `# Field manager: ${stack.manager}`,
    `# kubectl apply --server-side --field-manager ${stack.manager} -f ${file}`,
  ];
  const yamlOf = yamlWriter();
  const documents = objects.map((object, index) => `---\n${declarationLines(stack.intents[index])}${yamlOf(object)}`);
  return `${header.join('\n')}\n${documents.join('')}`;
}

/** Returns a comment for each declaration of an intent. */
export function declarationLines(intent: IntentManifest | undefined): string {
  const lines = intent?.declaredBy.map(
    ({ construct, source }) => `# ${intent.lifecycle}: ${oneLine(construct)}${source ? ` (${oneLine(source)})` : ''}\n`,
  );
  return lines?.join('') ?? '';
}

/** Replaces characters that end a comment, or that parsers reject even in comments. */
export function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/g, '?');
}
