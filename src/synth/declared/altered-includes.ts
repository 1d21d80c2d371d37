import { ApiObject } from 'cdk8s';
import { alterationsOf } from '../../app/included-yaml.js';
import { objectText } from '../../assembly/index.js';
import type { LintDiagnostic } from '../lint/lint-diagnostic.js';
import { identityOf } from '../merge/merge-stack.js';
import type { DeclaredStack } from './declared.js';

/** Returns warnings about values of included YAML that the reader altered. */
export function alteredIncludes(stacks: readonly DeclaredStack[]): LintDiagnostic[] {
  return stacks.flatMap(({ name, declared }) =>
    declared.flatMap(({ construct, location, object }) => {
      if (!ApiObject.isApiObject(construct)) return [];
      const alterations = alterationsOf((construct as unknown as { readonly props?: unknown }).props);
      if (alterations.length === 0) return [];
      const text = objectText(identityOf(object));
      return alterations.map(({ location: alterationLocation, message }) => ({
        diagnostic: { code: 'include-altered', message: `${alterationLocation}: ${message}.`, stack: name, object: text, ...location },
        constructs: [construct],
      }));
    }),
  );
}
