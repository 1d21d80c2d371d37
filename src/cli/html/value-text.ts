import { yamlOf } from '../../synth/yaml.js';
import type { Json } from '../../util/json.js';
import { printable } from '../render/printable.js';

/** Returns a value as printable YAML: a scalar on one line, a text of several lines as a block, a list or map without indentation. */
export function valueYaml(value: Json): string {
  const text = printable(yamlOf({ v: value }))
    .slice('v:'.length)
    .trimEnd();
  if (text.startsWith(' ')) {
    const [first = '', ...lines] = text.slice(1).split('\n');
    return [first, ...lines.map((line) => line.slice(2))].join('\n');
  }
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.slice(2))
    .join('\n');
}
