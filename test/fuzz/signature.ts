import { isJsonObject, type Json } from '../../src/util/json.js';
import { differences } from '../vectors-engine/difference.js';
import { asJson, type Trial } from './trial.js';

/** Returns the common part of differences with the same cause: operation, kind, codes, and the position of the difference. */
export function signatureOf(trial: Trial): string {
  const step = trial.steps.at(-1);
  const expected = trial.real.at(-1);
  const { different } = trial;
  if (step === undefined || expected === undefined || different === undefined) return '';
  const lines = [...differences(asJson(expected), asJson(different))];
  const paths = lines.map((line) =>
    line
      .replace(/: expected .*/s, '')
      .replace(/\/\d+/g, '/#')
      .replace(/k:\{.*?\}/g, 'k'),
  );
  const words = [expected.result, different.result].map(({ body }) => wordsOf(body));
  return [
    step.op,
    step.target.subresource ?? '',
    step.target.kind,
    `${expected.result.code}≠${different.result.code}`,
    `${expected.rv}≠${different.rv}`,
    paths[0] ?? '',
    ...(paths[0]?.includes('/message') || expected.result.code !== different.result.code ? words : []),
  ].join(' ');
}

/** A message without the values in it. */
function wordsOf(body: Json): string {
  const message = isJsonObject(body) && typeof body.message === 'string' ? body.message : typeof body === 'string' ? body : '';
  return message
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\d+/g, '#')
    .slice(0, 120);
}
