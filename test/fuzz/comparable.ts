import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import type { Observed } from './server-side-runner.js';

/** Refusals whose words come from the inside of the server: which of its Go types could not hold which JSON. */
const inward =
  /cannot unmarshal|unrecognized type|must be a string|cannot convert|unable to convert|cannot be handled as|illegal base64|cannot restore|error decoding|no kind is registered|strict decoding error|unable to decode|object provided is unrecognized/;

/** What a refusal prints of the change of a Pod, line by line. */
const changeText = /(previously negative\)|ephemeral containers "[^"]*" may not be (?:changed|removed))\n[\s\S]*?(?=\n(?:, |\]?$))/g;

/** What a refusal prints of the template of a Job. */
const templateText = /((?:spec\.template: )?Invalid value: )\{(?!\}: `).*\}(?=: field is immutable)/g;

/** An observation without the words that are not compared; code, reason and effect are. */
export function comparable(observed: Observed): Observed {
  const { body } = observed.result;
  const { result } = observed;
  if (!isJsonObject(body) || typeof body.message !== 'string') return observed;
  if (!inward.test(body.message)) return { ...observed, result: { ...result, body: withNormalizedWords(body) } };
  const { details: _, ...kept } = body;
  return { ...observed, result: { ...result, body: { ...kept, message: '(what cannot be decoded)' } } };
}

/** Without what a message says by chance: in which order values and reasons are listed, and whether no labels, also of nodes, are `{}` or null, no rules `[]` or null. */
function withNormalizedWords(body: JsonObject): JsonObject {
  const message = typeof body.message === 'string' ? withSortedLines(body.message.replace(changeText, '$1')) : body.message;
  const text = JSON.stringify({ ...body, message }, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(changeText, '$1').replace(templateText, '$1') : value,
  )
    .replace(/supported values: (?:\\+"[^"\\]*\\+"(?:, )?)+/g, sortedWords)
    .replace(/(?:\{\}|null)(?=: `selector` does not match)/g, 'no labels')
    .replace(/(?:\{\}|null)(?=: only additions to spec.nodeSelector)/g, 'no labels')
    .replace(/(?:\[\]|null)(?=: either `defaultBackend` or `rules`)/g, 'no rules');
  return JSON.parse(text) as JsonObject;
}

/** Several reasons why a value does not fit its type: the server walks a Go map. */
function withSortedLines(message: string): string {
  const [head = '', ...lines] = message.split('\n  ');
  return [head, ...lines.toSorted()].join('\n  ');
}

function sortedWords(list: string): string {
  return (list.match(/\w+/g) ?? []).toSorted().join(' ');
}
