import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { DocumentObject } from '../../app/document-object.js';
import type { Alteration } from '../../app/included-alterations.js';
import { alterationsOf } from '../../app/included-yaml.js';
import { objectText } from '../../assembly/index.js';
import type { LintDiagnostic } from '../lint/lint-diagnostic.js';
import { objectIdentity } from '../merge/merge-stack.js';
import type { DeclaredStack } from './declared.js';

/** Returns warnings about keys and values of included YAML and documents that the reader altered. */
export function alteredIncludes(stacks: readonly DeclaredStack[]): LintDiagnostic[] {
  return stacks.flatMap(({ name, declared }) =>
    declared.flatMap(({ construct, location, object }) => {
      const alterations = alterationsIn(construct);
      if (alterations.length === 0) return [];
      const text = objectText(objectIdentity(object));
      return alterations.map(({ location: alterationLocation, message }) => ({
        diagnostic: { code: 'include-altered', message: `${alterationLocation}: ${message}.`, stack: name, object: text, ...location },
        constructs: [construct],
      }));
    }),
  );
}

function alterationsIn(construct: IConstruct): readonly Alteration[] {
  if (DocumentObject.isDocumentObject(construct)) return construct.alterations;
  return ApiObject.isApiObject(construct) ? alterationsOf((construct as unknown as { readonly props?: unknown }).props) : [];
}
