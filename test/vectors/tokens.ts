import { isJsonObject, type Json } from '../../src/util/json.js';

const whole = /^(?:(?:uid|rv):\d+|@\d+)$/;
const within = /(?:uid|rv):\d+|@\d+/g;

/** The values of the tokens of one scenario in this run. */
export class Tokens {
  readonly #values = new Map<string, string>();

  /** Replaces tokens by their values in bodies and texts. Unknown tokens stay. */
  fill<T extends Json | undefined>(value: T): T {
    if (value === '<ip>') return (this.#values.get('<ip>') ?? value) as T;
    if (typeof value === 'string') return value.replace(within, (token) => this.#values.get(token) ?? token) as T;
    if (Array.isArray(value)) return value.map((item) => this.fill(item as Json)) as unknown as T;
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.fill(member)])) as T;
  }

  /** Reads the values of tokens from a response: the value at the position of an expected token is its value. */
  learn(expected: Json | undefined, actual: Json | undefined): void {
    if (expected === '<ip>' && typeof actual === 'string') this.#values.set('<ip>', actual);
    if (typeof expected === 'string' && typeof actual === 'string') {
      const taken = [...this.#values.values()].includes(actual);
      if (whole.test(expected) && !this.#values.has(expected) && (expected.startsWith('@') || !taken)) this.#values.set(expected, actual);
      if (!whole.test(expected)) this.#learnFromText(expected, actual);
    } else if (Array.isArray(expected) && Array.isArray(actual)) {
      for (const [index, item] of (expected as readonly Json[]).entries()) this.learn(item, (actual as readonly Json[])[index]);
    } else if (isJsonObject(expected) && isJsonObject(actual)) {
      for (const [name, member] of Object.entries(expected)) this.learn(member, actual[name]);
    }
  }

  #learnFromText(expected: string, actual: string): void {
    const tokens = expected.match(within) ?? [];
    if (tokens.every((token) => this.#values.has(token))) return;
    const parts = expected.split(within).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const match = new RegExp(`^${parts.join('([-0-9a-zA-Z:]+)')}$`, 's').exec(actual);
    for (const [index, token] of tokens.entries())
      if (match?.[index + 1] !== undefined && !this.#values.has(token)) this.#values.set(token, match[index + 1] as string);
  }
}

/** Returns a value with allocated addresses and ports as in recordings, and unordered content in a fixed order. */
export function normalized(value: Json, kind?: string): Json {
  if (Array.isArray(value)) return value.map((item) => normalized(item as Json, kind));
  if (!isJsonObject(value)) return value;
  const isService = kind === 'Service' || value.kind === 'Service';
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, Json] => {
      if (isService && name === 'clusterIP') return [name, address(member as Json)];
      if (isService && name === 'clusterIPs' && Array.isArray(member)) return [name, (member as Json[]).map(address)];
      if (isService && name === 'nodePort' && member !== undefined) return [name, '<nodePort>'];
      if (name === 'causes' && Array.isArray(member))
        return [name, (member as Json[]).map((cause) => normalized(cause)).toSorted((a, b) => (sortText(a) < sortText(b) ? -1 : 1))];
      if (name === 'message' && typeof member === 'string') return [name, sortedMessage(withoutAllocated(member, value.field))];
      return [name, normalized(member as Json, isService ? 'Service' : undefined)];
    }),
  );
}

/** Returns a message without a node port or address that the server may have chosen. */
function withoutAllocated(message: string, field: Json | undefined): string {
  if (message.includes('failed to allocate IP'))
    return message.replace(/IPAddress\.networking\.k8s\.io "[^"]*"/, 'IPAddress.networking.k8s.io "<ip>"');
  if (typeof field === 'string' && field.endsWith('.nodePort')) return message.replace(/^(Duplicate value: )\d+$/, '$1<nodePort>');
  return message.replace(/(\bnodePort: (?:\{\w+ |Duplicate value: ))\d+/g, '$1<nodePort>');
}

function address(value: Json): Json {
  return value === 'None' || value === '' ? value : '<ip>';
}

function sortText(value: Json): string {
  return JSON.stringify(value, isJsonObject(value) ? Object.keys(value).toSorted() : undefined);
}

/** Returns a message with its errors sorted by their text. */
export function sortedMessage(message: string): string {
  const match = /^(.* is invalid: )\[(.*)\]$/s.exec(message);
  if (match === null) return message;
  return `${match[1]}[${splitErrors(match[2] as string)
    .toSorted()
    .join(', ')}]`;
}

function splitErrors(text: string): string[] {
  // Each error begins with a field path and a title.
  return text.split(/, (?=(?:<nil>|\.?[a-zA-Z][^ ]*): (?:Invalid|Required|Unsupported|Duplicate|Forbidden|Too) )/);
}
