import { Yaml } from 'cdk8s';
import { isJsonObject, type Json } from '../util/json.js';
import { type Alteration, alterationsInDocuments, alterationsInValues } from './included-alterations.js';
import { parseIncluded } from './parse-included.js';
import { unwrapLists } from './unwrap-lists.js';

const alterationsMark: unique symbol = Symbol.for('fieldwise.alterations') as never;
const wrappedMark: unique symbol = Symbol.for('fieldwise.included-yaml') as never;

/**
 * Makes cdk8s read included YAML (`Include`, `Helm`, `Yaml.load`) as kubectl does: Lists are unwrapped, and values that its reader alters
 * are recorded with the object, for a warning at synth. The reader of cdk8s reads YAML 1.1 with the numbers of JavaScript. All three call
 * `Yaml.load`, so replacing this one function is enough. Files are read here, as cdk8s reads them, but for errors of syntax, which cdk8s
 * ignores: it would leave out what it does not understand.
 */
export function interceptYamlLoad(): void {
  const { load } = Yaml;
  if (wrappedMark in load) return;
  const intercepted = (url: string): Json[] => {
    const parsed = parseIncluded(url);
    const documents = parsed?.values ?? (load.call(Yaml, url) as Json[]);
    const alterations = parsed === undefined ? alterationsInValues(url, documents) : alterationsInDocuments(url, parsed);
    return documents.flatMap((document, index) => {
      const objects = unwrapLists(document);
      const altered = alterations.filter((one) => one.document === index);
      const [first] = objects;
      if (altered.length > 0 && isJsonObject(first)) Object.defineProperty(first, alterationsMark, { value: altered });
      return objects;
    });
  };
  Object.defineProperty(intercepted, wrappedMark, { value: true });
  Yaml.load = intercepted;
}

/** Returns the values that the reader altered in an included document; they are recorded with its first object. */
export function alterationsOf(document: unknown): readonly Alteration[] {
  if (typeof document !== 'object' || document === null || !(alterationsMark in document)) return [];
  return document[alterationsMark] as readonly Alteration[];
}
