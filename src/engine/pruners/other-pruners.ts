import { metadataOf } from '../../fields/object.js';
import type { Json } from '../../util/json.js';
import { applySetOf, parentIdLabel } from './apply-set.js';

/** Another tool that deletes an object once its own files no longer contain the object. */
export interface OtherPruner {
  /** The code of the diagnostic. */
  readonly code: 'in-applyset' | 'in-kapp-app';
  /** The group of objects, such as `the kapp app 1700000000000` or `the ApplySet applyset-…-v1`. */
  readonly name: string;
  /** The effect of the tool, as a clause without a full stop. */
  readonly message: string;
  /** The next step, as a sentence. */
  readonly next: string;
}

const kappAppLabel = 'kapp.k14s.io/app';
/** kapp adds this label when it gives up an object. The annotation with the identity stays. */
const kappOrphanedLabel = 'kapp.k14s.io/orphaned';
const kappIdentityAnnotation = 'kapp.k14s.io/identity';

/** Returns the other tools that prune an object, by the labels and annotations with which they find their objects. */
export function otherPrunersOf(object: Json | undefined): readonly OtherPruner[] {
  return [applySetPruner(object), kappPruner(object)].filter((pruner) => pruner !== undefined);
}

/** Returns a pruner as a warning about one of many objects. */
export function prunerText({ name }: OtherPruner): string {
  return `it also belongs to ${name}, whose tool deletes it once its files no longer contain it (docs/adopt.md)`;
}

function applySetPruner(object: Json | undefined): OtherPruner | undefined {
  const id = applySetOf(object);
  if (id === undefined) return undefined;
  const name = `the ApplySet ${id}`;
  return {
    code: 'in-applyset',
    name,
    message: `the object is a member of ${name}: kubectl apply --prune deletes it once the files of kubectl no longer contain it`,
    next: `Take the set over with \`fieldwise adopt --from-applyset PARENT\`, where PARENT has the label ${parentIdLabel}=${id} (docs/adopt.md).`,
  };
}

/** An app that the user finds by another label has only the annotation. */
function kappPruner(object: Json | undefined): OtherPruner | undefined {
  const { labels = {}, annotations = {} } = metadataOf(object);
  const app = labels[kappAppLabel];
  const isOfLabeledApp = annotations[kappIdentityAnnotation] !== undefined && labels[kappOrphanedLabel] === undefined;
  if (app === undefined && !isOfLabeledApp) return undefined;
  const name = app === undefined ? 'a kapp app' : `the kapp app ${app}`;
  return {
    code: 'in-kapp-app',
    name,
    message: `the object belongs to ${name}: kapp deploy may change its fields, and deletes it once the files of kapp no longer contain it`,
    next: 'Remove it from kapp as docs/adopt.md describes; Fieldwise does not change what kapp records.',
  };
}
