import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';

/** One CustomResourceDefinition of a corpus directory, with what was accepted and refused by an API server that had it. */
export interface CorpusCrd {
  /** `GROUP/PLURAL`. */
  readonly name: string;
  readonly text: string;
  readonly document: JsonObject;
  readonly examples: readonly CorpusObject[];
  readonly invalid: readonly CorpusObject[];
}

export interface CorpusObject {
  /** Relative to the corpus directory. */
  readonly file: string;
  /** Why the file holds no object, or the object. */
  readonly content: { readonly unreadable: string } | { readonly value: JsonObject };
  /** The server's response, if it rejected the object. */
  readonly answer?: string;
}

/** Reads `crds/GROUP/PLURAL.yaml`, `examples/GROUP/PLURAL/*.yaml` and `invalid/GROUP/PLURAL/*.yaml` with answers in `.txt`. */
export function* readCorpus(directory: string): Generator<CorpusCrd> {
  for (const group of namesIn(join(directory, 'crds'))) {
    for (const file of namesIn(join(directory, 'crds', group))) {
      if (!/\.(ya?ml|json)$/.test(file)) continue;
      const text = readFileSync(join(directory, 'crds', group, file), 'utf8');
      const name = `${group}/${file.replace(/\.\w+$/, '')}`;
      const content = readObject(text);
      if ('unreadable' in content) throw new Error(`crds/${group}/${file}: ${content.unreadable}`);
      yield {
        name,
        text,
        document: content.value,
        examples: objectsIn(directory, join('examples', name)),
        invalid: objectsIn(directory, join('invalid', name)),
      };
    }
  }
}

function objectsIn(directory: string, below: string): CorpusObject[] {
  return namesIn(join(directory, below))
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .map((name) => {
      const file = join(below, name);
      const answer = join(directory, file.replace(/\.\w+$/, '.txt'));
      return {
        file,
        content: readObject(readFileSync(join(directory, file), 'utf8')),
        ...(existsSync(answer) ? { answer: readFileSync(answer, 'utf8').trim() } : {}),
      };
    });
}

function readObject(text: string): CorpusObject['content'] {
  const documents = parseAllDocuments(text, { merge: true }).filter((document) => document.contents !== null);
  const [document] = documents;
  if (document === undefined || documents.length > 1) return { unreadable: `${documents.length} documents where one is expected` };
  if (document.errors.length > 0) return { unreadable: document.errors[0]?.message.split('\n')[0] ?? 'no YAML' };
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  return isJsonObject(value) ? { value } : { unreadable: 'the document is not an object' };
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}
