import { ApiObject } from 'cdk8s';
import { alterationsOf } from '../app/included-yaml.js';
import { objectText } from '../assembly/index.js';
import type { DeclaredStack } from './declared.js';
import type { Hazard } from './lint/hazard.js';
import { identityOf } from './merged-stack.js';

/** Warnings of what the reader of included YAML altered in the objects of the stacks. */
export function alteredIncludes(stacks: readonly DeclaredStack[]): Hazard[] {
  return stacks.flatMap(({ name, declared }) =>
    declared.flatMap(({ construct, place, object }) => {
      if (!ApiObject.isApiObject(construct)) return [];
      const alterations = alterationsOf((construct as unknown as { readonly props?: unknown }).props);
      if (alterations.length === 0) return [];
      const text = objectText(identityOf(object));
      return alterations.map(({ place: where, what }) => ({
        warning: { code: 'include-altered', message: `${where}: ${what}.`, stack: name, object: text, ...place },
        constructs: [construct],
      }));
    }),
  );
}
