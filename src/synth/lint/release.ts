import { objectText } from '../../assembly/index.js';
import { isJsonObject, isList, type Json } from '../../util/json.js';
import { itemOf, memberOf, type Typed } from '../declared/typed.js';
import { itemKey } from '../merge/item-key.js';
import { declaredFields } from './declared-fields.js';
import type { Forces } from './forced-fields.js';
import { type LintDiagnostic, lifecycleOf, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/**
 * Yields a warning for each required field that only a share declares, by force: without the field, the object would be invalid, so the
 * server rejects its release. Required fields inside a released list item or optional map are removed with it, and are not reported.
 */
export function* refusedReleases(intents: readonly StackIntent[], forces: Forces): Generator<LintDiagnostic> {
  const shares = intents.filter((placed) => lifecycleOf(placed) === 'share' && placed.intent.root);
  if (shares.length === 0) return;
  const declarers = new Map<string, StackIntent | 'several'>();
  for (const placed of intents) {
    if (intents.length === 1) break;
    for (const { path } of declaredFields(placed.intent.object, placed.intent.typed)) {
      const declarer = declarers.get(path);
      if (declarer !== placed) declarers.set(path, declarer === undefined ? placed : 'several');
    }
  }
  for (const placed of shares) {
    const isElsewhere = (path: string) => (declarers.get(path) ?? placed) !== placed;
    for (const path of soleDeclarations(placed.intent.object, placed.intent.typed, '', isElsewhere)) {
      if (forces(placed, path)) yield refused(placed, path);
    }
  }
}

/** Yields the required fields that only this stack declares, inside of values that stay when the stack is destroyed. */
function* soleDeclarations(value: Json, typed: Typed | undefined, path: string, isElsewhere: (path: string) => boolean): Generator<string> {
  if (!typed) return;
  if (isList(value)) {
    for (const item of typed.type.list?.relation === 'associative' ? value : []) {
      const inside = path + itemKey(item, typed).text;
      if (isElsewhere(inside)) yield* soleDeclarations(item, itemOf(typed), inside, isElsewhere);
    }
  } else if (isJsonObject(value) && typed.type.map?.relation === 'granular') {
    const { required, fields } = typed.type.map;
    for (const [name, member] of Object.entries(value)) {
      const inside = `${path}.${name}`;
      if (member === undefined || inside === '.metadata' || inside === '.apiVersion' || inside === '.kind') continue;
      if (isElsewhere(inside)) yield* soleDeclarations(member, memberOf(typed, name), inside, isElsewhere);
      else if (required.includes(name) && fields.get(name)?.default === undefined) yield inside;
    }
  }
}

function refused(placed: StackIntent, path: string): LintDiagnostic {
  const object = objectText(placed.intent.identity);
  return lintDiagnostic(
    'share-release-refused',
    `${object} requires ${path}, and in this app only stack ${placed.stack.name} declares it, as a share and with the policy force. If the stack takes the field from its owner, the server will later reject its release. Declare it in the program of the owner, or set the policy \`conflicts: 'yield'\` for it.`,
    placed,
    path,
  );
}
