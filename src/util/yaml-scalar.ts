import type { Json } from './json.js';
import { YamlTextError } from './yaml-text-error.js';

const words = new Map<string, Json>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE', 'y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE', 'n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);
const infinite = new Map([
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, '+Inf'] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, '-Inf'] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, 'NaN'] as const),
]);
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/i;

/**
 * Returns the value of a scalar without quotes and tag, by the rules of YAML 1.1 as the server reads them: `yes` is true, `010` is 8,
 * and times are texts. Source: YAML 1.1, type repository; the rest as observed.
 *
 * @throws YamlTextError for a number that JSON cannot hold
 */
export function plainScalar(text: string): Json {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text)) return text;
  const unsupported = infinite.get(text);
  if (unsupported !== undefined) throw new YamlTextError(`json: unsupported value: ${unsupported}`);
  return numberIn(text.includes('_') ? text.replaceAll('_', '') : text) ?? text;
}

function numberIn(text: string): Json | undefined {
  if (/^-?[1-9]\d{0,14}$/.test(text)) return Number(text);
  const [, sign = '', digits = ''] = /^([-+]?)(\d.*|\.\d.*)$/s.exec(text) ?? [];
  if (digits === '') return undefined;
  const literal = integerLiteral(digits);
  if (literal !== undefined) {
    const value = sign === '-' ? -BigInt(literal) : BigInt(literal);
    if (value >= -(2n ** 63n) && value < 2n ** 64n) return exact(value);
  }
  return float.test(text) ? finite(Number(text)) : undefined;
}

/** Returns digits as JavaScript writes them: `0x1f`, `0o17` (also as `017`), `0b11` or decimal. */
function integerLiteral(digits: string): string | undefined {
  // Of a longer number, only the magnitude counts.
  if (digits.length > 70) return undefined;
  if (/^[1-9]\d*$|^0$|^0x[\da-f]+$|^0b[01]+$|^0o[0-7]+$/i.test(digits)) return digits;
  return /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : undefined;
}

function exact(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : (value as unknown as Json);
}

function finite(value: number): Json | undefined {
  return Number.isFinite(value) ? value : undefined;
}
