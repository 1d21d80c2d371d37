import { DocumentObject } from '../../app/document-object.js';
import { objectText } from '../../assembly/index.js';
import { isJsonObject } from '../../util/json.js';
import { type LintDiagnostic, lintDiagnostic, type StackIntent } from './lint-diagnostic.js';

/** Returns a warning for values of a Secret that the assembly contains in plain text. */
export function plainSecrets(placed: StackIntent): readonly LintDiagnostic[] {
  const { identity, object, declared } = placed.intent;
  if (identity.kind !== 'Secret' || identity.apiVersion !== 'v1' || !isJsonObject(object.data)) return [];
  const keys = Object.entries(object.data).flatMap(([key, value]) => (typeof value === 'string' && value !== '' ? [key] : []));
  // A document cannot refer to a value.
  if (keys.length === 0 || declared.every(({ construct }) => DocumentObject.isDocumentObject(construct))) return [];
  const shown = keys.length > 5 ? `${keys.slice(0, 5).join(', ')} and ${keys.length - 5} more` : keys.join(', ');
  const plain = lintDiagnostic(
    'secret-in-plain-text',
    `${objectText(identity)} has values in plain text in the program and its assembly: ${shown}. Use \`fromEnv('NAME')\` or \`fromFile(path)\`, which are read when the stack is deployed.`,
    placed,
    `.data.${keys[0]}`,
    { declares: ({ object: declared }) => isJsonObject(declared.data) && declared.data[keys[0] as string] !== undefined },
  );
  return [plain];
}
