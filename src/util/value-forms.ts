import { isUtf8 } from 'node:buffer';
import { isJsonObject, type Json } from './json.js';

/** A text that shows a value. */
export interface ValueForm {
  readonly text: string;
  /** The characters before and after it also hold bits of the value: it is a part of a base64 text. */
  readonly open?: { readonly before: boolean; readonly after: boolean };
}

/** A shorter value is hidden only where it is quoted: `1` or `on` is in every message. */
const minUnquotedLength = 4;

/** A shorter part of a value, such as a line or a member of JSON, is in every log. */
const minPartLength = 8;

/** A longer value is hidden as it is, in base64 and line by line. */
const maxEncodedLength = 4_096; // characters

/** A longer value is not parsed. */
const maxParsedLength = 65_536; // characters

/** Of fewer bytes, only the whole base64 text is hidden: a part of it would be too short. */
const minBase64Bytes = 5;

/** Returns the texts that show a value: as it is, escaped, in base64 and hex; and those of its lines and of its string members. */
export function* formsOfValue(bytes: Buffer): Generator<ValueForm> {
  if (bytes.length === 0) return;
  if (!isUtf8(bytes)) return yield* encodedForms(bytes);
  const text = bytes.toString('utf8');
  yield* formsOfText(text);
  const shown = text.trim();
  if (shown === '') return;
  yield* shown.includes('\n') ? formsOfLines(shown) : formsOfUrl(shown);
  yield* formsOfMembers(shown);
}

/** Returns the texts that show one text: as it is, escaped and encoded. */
function* formsOfText(whole: string): Generator<ValueForm> {
  const text = whole.trim();
  if (text === '') return;
  yield* escapedForms(text);
  yield* encodedForms(Buffer.from(text, 'utf8'));
  if (text !== whole) yield* encodedForms(Buffer.from(whole, 'utf8'));
}

function* formsOfLines(text: string): Generator<ValueForm> {
  for (const line of text.split('\n')) if (line.trim().length >= minPartLength) yield* escapedForms(line.trim());
}

/** Returns the forms of the password in a URL. */
function* formsOfUrl(text: string): Generator<ValueForm> {
  if (text.length > maxEncodedLength || !URL.canParse(text)) return;
  const { password } = new URL(text);
  if (password.length < minUnquotedLength) return;
  yield* formsOfText(password);
  try {
    yield* formsOfText(decodeURIComponent(password));
  } catch {
    // It is not percent-encoded.
  }
}

function* formsOfMembers(text: string): Generator<ValueForm> {
  if (text.length > maxParsedLength || !/^[{[]/.test(text)) return;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return;
  }
  for (const member of stringsIn(value)) if (member.length >= minPartLength) yield* formsOfText(member);
}

function* stringsIn(value: Json | undefined): Generator<string> {
  const values: (Json | undefined)[] = [value];
  for (let next = values.pop(); values.length > 0 || next !== undefined; next = values.pop()) {
    if (typeof next === 'string') yield next;
    else if (Array.isArray(next)) for (const item of next as readonly Json[]) values.push(item);
    else if (isJsonObject(next)) for (const member of Object.values(next)) values.push(member);
  }
}

/** Returns a text as it stands in a message, in JSON, and in JSON within JSON. */
function* escapedForms(text: string): Generator<ValueForm> {
  for (const form of escapings(text)) yield { text: form.length < minUnquotedLength ? `"${form}"` : form };
}

function escapings(text: string): ReadonlySet<string> {
  if (/^[\w .,:;=+@#$!?*()~^|[\]{}%-]*$/.test(text)) return new Set([text]);
  const json = escaped(text);
  const always = [text, json, escaped(json)];
  if (text.length > maxEncodedLength) return new Set(always);
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;');
  const slashes = json.replaceAll('/', String.raw`\/`);
  const quotes = [html.replaceAll('"', '&quot;'), html.replaceAll('"', '&#34;')];
  return new Set([...always, slashes, escaped(slashes), ...quotes, text.replaceAll('\n', '\r\n')]);
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns a value in base64, alone and within a longer text such as `user:value`, and in hex. */
export function* encodedForms(bytes: Buffer): Generator<ValueForm> {
  const encoded = bytes.toString('base64');
  const unpadded = encoded.replace(/={1,2}$/, '');
  if (bytes.length < minBase64Bytes) {
    for (const text of [encoded, unpadded]) if (text.length >= minUnquotedLength) yield* inAlphabets({ text });
  } else {
    const rests = bytes.length > maxEncodedLength ? [0] : [0, 1, 2];
    for (const rest of rests) yield* inAlphabets(base64At(bytes, rest));
    if (bytes.length <= maxEncodedLength) yield base64At(Buffer.from(unpadded, 'latin1'), 0);
  }
  if (bytes.length < minUnquotedLength || bytes.length > maxEncodedLength) return;
  const hex = bytes.toString('hex');
  yield { text: hex };
  yield { text: hex.toUpperCase() };
}

/** Returns the characters of a base64 text that only depend on these bytes, if the number of bytes before them leaves this rest by 3. */
function base64At(bytes: Buffer, rest: number): ValueForm {
  const skippedBits = (6 - ((rest * 8) % 6)) % 6;
  const bits = bytes.length * 8 - skippedBits;
  const first = Math.ceil((rest * 8) / 6);
  const text = Buffer.concat([Buffer.alloc(rest), bytes])
    .toString('base64')
    .slice(first, first + Math.floor(bits / 6));
  return { text, open: { before: skippedBits > 0, after: bits % 6 > 0 } };
}

/** Returns a base64 form also in the alphabet of URLs. */
function* inAlphabets(form: ValueForm): Generator<ValueForm> {
  yield form;
  if (/[+/]/.test(form.text)) yield { ...form, text: form.text.replaceAll('+', '-').replaceAll('/', '_') };
}
