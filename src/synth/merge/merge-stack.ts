import { DocumentObject } from '../../app/document-object.js';
import { declarationText } from '../../assembly/declaration-text.js';
import { identityKey, type ObjectIdentity, objectText, type PartialObject } from '../../assembly/index.js';
import { FieldwiseError } from '../../util/error.js';
import type { Json } from '../../util/json.js';
import type { Declared, DeclaredStack } from '../declared/declared.js';
import type { KnownTypes, Typed } from '../declared/typed.js';
import type { DiagnosticCollector } from '../diagnostic-collector.js';
import { combinePolicies } from './effective-policies.js';
import { type Clash, mergeIntents } from './merge-intents.js';
import type { MergedIntent, MergedStack } from './merged-intent.js';

/** Merges the declarations of a stack into one intent per object, and reports clashes to `collector`. */
export function mergeStack({ chart, name, declared }: DeclaredStack, types: KnownTypes, collector: DiagnosticCollector): MergedStack {
  const byObject = new Map<string, Declared[]>();
  for (const declaration of declared) {
    const key = identityKey(objectIdentity(declaration.object));
    const same = byObject.get(key);
    if (same) same.push(declaration);
    else byObject.set(key, [declaration]);
  }
  const intents = [...byObject.values()].map((group) => collector.attempt(() => mergedIntent(group, types, collector)));
  return { chart, name, intents: intents.filter((intent) => intent !== undefined) };
}

/** Returns the identity of a partial object. */
export function objectIdentity({ apiVersion, kind, metadata }: PartialObject): ObjectIdentity {
  return { apiVersion, kind, name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) };
}

function mergedIntent(declared: readonly Declared[], types: KnownTypes, collector: DiagnosticCollector): MergedIntent {
  const [first, ...others] = declared as readonly [Declared, ...Declared[]];
  const identity = objectIdentity(first.object);
  for (const other of others) checkTogether(first, other, identity);
  const root = types.root(identity.apiVersion, identity.kind);
  const typed = types.typed(root);
  let object: PartialObject = first.object;
  for (const [index, other] of others.entries()) {
    const clashes: Clash[] = [];
    object = mergeIntents(object, other.object, typed, clashes) as PartialObject;
    for (const clash of clashes) collector.add(conflict(clash, declared.slice(0, index + 1), other, typed, identity));
  }
  return { identity, object, declared, policy: combinePolicies(declared, identity), typed, root };
}

function checkTogether(first: Declared, other: Declared, identity: ObjectIdentity): void {
  if (DocumentObject.isDocumentObject(first.construct) && DocumentObject.isDocumentObject(other.construct)) {
    const positions = `${first.construct.source} and ${other.construct.source}`;
    throw new FieldwiseError('document-repeated', 'usage', `${objectText(identity)} is declared twice, at ${positions}`, {
      location: { object: objectText(identity) },
      next: 'Remove one of the documents, because a stack has one intent per object.',
    });
  }
  if (first.object.apiVersion !== other.object.apiVersion) {
    throw new FieldwiseError(
      'intent-two-versions',
      'usage',
      `${objectText(identity)} is declared with two apiVersions: ${first.object.apiVersion} by ${declarationText(first.location)} and ${other.object.apiVersion} by ${declarationText(other.location)}`,
      { next: 'Use one apiVersion, because a stack has one intent per object.' },
    );
  }
  if (first.lifecycle === other.lifecycle) return;
  throw new FieldwiseError(
    'intent-own-and-share',
    'usage',
    `${objectText(identity)} is declared with \`${first.lifecycle}\` by ${declarationText(first.location)} and with \`${other.lifecycle}\` by ${declarationText(other.location)}`,
    { next: 'Use `own` if the stack creates and deletes the object, or `share` if it only contributes fields.' },
  );
}

/** Returns the error of a clash, with the earliest declaration that clashes with `other`, which the merged value does not show. */
function conflict(clash: Clash, before: readonly Declared[], other: Declared, typed: Typed, identity: ObjectIdentity): FieldwiseError {
  const firstClashing = before.find((candidate) => {
    const clashes: Clash[] = [];
    mergeIntents(candidate.object, other.object, typed, clashes);
    return clashes.some(({ path }) => path === clash.path);
  });
  const isSecret = identity.kind === 'Secret' && identity.apiVersion === 'v1';
  const values = [clash.left, clash.right].map((value) => (isSecret ? '(masked)' : shown(value)));
  return new FieldwiseError(
    'intent-conflict',
    'usage',
    `${objectText(identity)} is declared with two values at ${clash.path}: ${values[0]} by ${declarationText((firstClashing ?? (before[0] as Declared)).location)} and ${values[1]} by ${declarationText(other.location)}`,
    { location: { object: objectText(identity), field: clash.path }, next: 'Declare the field only once per stack.' },
  );
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
