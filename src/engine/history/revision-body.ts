import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parseAssembly } from '../../assembly/read.js';
import type { PartialObject, StackManifest } from '../../assembly/types.js';
import { isSecret } from '../../fields/object.js';
import type { DigestKey } from '../../merge/dynamic/index.js';
import { FieldwiseError } from '../../util/error.js';
import { parseExactJson, stringifyExactJson } from '../../util/exact-json.js';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.js';
import { lazyList } from '../../util/lazy-list.js';
import type { StackIdentity } from '../inventory/stack-identity.js';
import { type OmittedValue, type RedactedIntent, redactIntent } from './omitted-values.js';

/** The declarations of a stack in a revision, without values of Secrets. */
export interface RevisionBody {
  readonly stack: StackManifest;
  /** In the order of the intents of the stack. */
  readonly objects: readonly PartialObject[];
  /** By the position of the intent. */
  readonly omitted: ReadonlyMap<number, readonly OmittedValue[]>;
}

/** The limit of the uncompressed text of a body: the decompression of a forged one stops there. */
export const maxBodyBytes = 64 * 2 ** 20;

/** Returns the body of a stack as it is deployed. Its objects are read from the assembly when they are asked for. */
export function bodyOf(stack: StackManifest, objects: readonly PartialObject[], key: DigestKey | undefined): RevisionBody {
  const redacted = new Map<number, RedactedIntent>();
  for (const [index, intent] of stack.intents.entries()) {
    if (isSecret(intent)) redacted.set(index, redactIntent(objects[index] as PartialObject, key));
  }
  return {
    stack,
    objects: lazyList(objects.length, (index) => redacted.get(index)?.object ?? (objects[index] as PartialObject)),
    omitted: new Map([...redacted].flatMap(([index, { omitted }]) => (omitted.length > 0 ? [[index, omitted] as const] : []))),
  };
}

/** Returns a digest that is equal for equal declarations, wherever they stand in a program, and whatever the stack was called before. */
export function digestOfBody({ stack, objects, omitted }: RevisionBody): string {
  const { json: _, yaml: __, formerIdentities: ___, intents, ...others } = stack;
  const declared = intents.map(({ declaredBy: ____, ...intent }) => intent);
  const hash = createHash('sha256');
  for (const part of partsOfList(objects, `[${jsonOf(others)},${jsonOf(declared)},`, `,${jsonOf([...omitted])}]`)) hash.update(part);
  return hash.digest('hex');
}

/** Yields the JSON of a list, between two texts, item by item: a stack may have tens of thousands of objects. */
function* partsOfList(items: readonly unknown[], before: string, after: string): Generator<string> {
  yield `${before}[`;
  for (let index = 0; index < items.length; index++) yield `${index === 0 ? '' : ','}${jsonOf(items[index])}`;
  yield `]${after}`;
}

function jsonOf(value: unknown): string {
  return stringifyExactJson(value as Json);
}

/**
 * Compresses a body; undefined if it is too large to be read again. The whole text is never in memory: each piece of it is a member of a gzip
 * file of its own (RFC 1952, 2.2), which reads as one.
 */
export function packBody(identity: StackIdentity, { stack, objects, omitted }: RevisionBody): Uint8Array | undefined {
  const { app, instance } = identity;
  const { json: _, yaml: __, ...declared } = stack;
  const head = jsonOf({ fieldwise: 1, app, instance, stack: declared }).slice(0, -1);
  const packed: Uint8Array[] = [];
  let size = 0;
  for (const text of inPieces(partsOfList(objects, `${head},"objects":`, `,"omitted":${jsonOf([...omitted])}}`))) {
    const bytes = Buffer.from(text);
    size += bytes.length;
    if (size > maxBodyBytes) return undefined;
    packed.push(gzipSync(bytes));
  }
  return Buffer.concat(packed);
}

/** Joins short texts: long pieces are compressed faster and better. */
function* inPieces(parts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const part of parts) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

const pieceLength = 2 ** 20; // UTF-16 code units

/**
 * Decompresses and validates a body.
 *
 * @throws FieldwiseError `history-damaged` if it is not the body of a revision of the stack.
 */
export async function unpackBody(identity: StackIdentity, revision: number, packed: Uint8Array): Promise<RevisionBody> {
  try {
    const text = gunzipSync(packed, { maxOutputLength: maxBodyBytes }).toString('utf8');
    return await parseBody(identity, parseExactJson(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FieldwiseError('history-damaged', 'resource', `Revision ${revision} of stack ${identity.stack} is not used: ${why}`, {
      location: { manager: identity.manager },
      next: 'Find out who wrote it, and choose another revision: `fieldwise history` lists them.',
      cause: error,
    });
  }
}

async function parseBody({ app, instance, stack: name, manager }: StackIdentity, value: Json): Promise<RevisionBody> {
  if (!isJsonObject(value) || !isJsonObject(value.stack) || !Array.isArray(value.objects)) throw new Error('it is not a revision');
  if (value.app !== app || value.instance !== instance || value.stack.name !== name || value.stack.manager !== manager) {
    throw new Error('it belongs to another stack');
  }
  const { dependsOn, formerIdentities: _, ...stack } = value.stack;
  const checked: JsonObject = { ...stack, ...noFiles('revision'), dependsOn: [] };
  const manifest: JsonObject = { fieldwise: value.fieldwise, app, instance, stacks: [checked], warnings: [] };
  const assembly = await parseAssembly(manifest, [value.objects as readonly Json[]], 'revision');
  const [parsedStack, objects] = [assembly.manifest.stacks[0] as StackManifest, assembly.objects[0] as readonly PartialObject[]];
  return {
    stack: { ...parsedStack, dependsOn: textsOf(dependsOn) },
    objects,
    omitted: omittedOf(value.omitted, objects),
  };
}

/** Returns names for the files of a stack that is stored without them; documents have none, and nothing reads them. */
export function noFiles(name: string) {
  const sha256 = '0'.repeat(64);
  return { json: { path: `${name}.json`, sha256 }, yaml: { path: `${name}.yaml`, sha256 } };
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((item) => typeof item === 'string') : [];
}

function omittedOf(value: Json | undefined, objects: readonly PartialObject[]): ReadonlyMap<number, readonly OmittedValue[]> {
  if (!Array.isArray(value)) throw new Error('its list of values of Secrets is missing');
  return new Map(
    (value as readonly Json[]).map((item) => {
      const [index, values] = Array.isArray(item) ? (item as readonly Json[]) : [];
      if (typeof index !== 'number' || !isSecret(objects[index]) || !Array.isArray(values)) {
        throw new Error('its list of values of Secrets is damaged');
      }
      return [index, (values as readonly Json[]).map(omittedValueOf)] as const;
    }),
  );
}

function omittedValueOf(value: Json): OmittedValue {
  const { path, digest } = isJsonObject(value) ? value : {};
  const steps = textsOf(path);
  const isValue = (steps.length === 2 && steps[0] === 'data') || (steps.length === 3 && steps[1] === 'annotations');
  if (!isValue || !Array.isArray(path) || steps.length !== path.length) {
    throw new Error('its list of values of Secrets is damaged');
  }
  return { path: steps, ...(typeof digest === 'string' ? { digest } : {}) };
}
