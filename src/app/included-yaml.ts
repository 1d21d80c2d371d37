import { Yaml } from 'cdk8s';
import { isJsonObject, type Json } from '../util/json.js';
import { type Alteration, alterationsIn } from './included-alterations.js';
import { unwrapLists } from './unwrap-lists.js';

const alterationsMark: unique symbol = Symbol.for('fieldwise.alterations') as never;
const wrappedMark: unique symbol = Symbol.for('fieldwise.included-yaml') as never;

/**
 * Has what cdk8s includes (`Include`, `Helm`, `Yaml.load`) read as kubectl would: Lists are unwrapped, and what its reader alters is
 * remembered with the object, for synth to warn of. The reader is cdk8s' own, a YAML 1.1 reader whose numbers are those of JavaScript;
 * `Include` asks it by name, so that the one function is the place to stand at.
 */
export function interceptYamlLoad(): void {
  const { load } = Yaml;
  if (wrappedMark in load) return;
  const intercepted = (url: string): Json[] => {
    const documents = load.call(Yaml, url) as Json[];
    const alterations = alterationsIn(url, documents);
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

/** What the reader altered in an included document, told of the first object of it. */
export function alterationsOf(document: unknown): readonly Alteration[] {
  if (typeof document !== 'object' || document === null || !(alterationsMark in document)) return [];
  return document[alterationsMark] as readonly Alteration[];
}
