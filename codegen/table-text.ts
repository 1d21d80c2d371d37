import type { EncodedRoot, EncodedType } from '../src/schema/index.js';
import { encodeType } from '../src/schema/index.js';
import type { PlannedModule, PlannedRoot } from './module-plan.js';
import type { ModuleNames } from './names-in-module.js';

/** Returns the module's table as JSON, one root or type per line, so that a change of one type changes one line. */
export function tableJson(module: PlannedModule, names: ModuleNames): string {
  const shorten = (id: string) => names.inTable(id);
  const apiVersion = module.roots[0]?.root.apiVersion;
  const roots = module.roots.map((root): [string, EncodedRoot] => [root.base, encodeRoot(root, apiVersion, shorten)]);
  const types = module.types.map((type): [string, EncodedType] => [type.base, encodeType(type.type, shorten)]);
  const head = apiVersion === undefined ? '' : `"apiVersion":${JSON.stringify(apiVersion)},\n`;
  return `{${head}"roots":{${lines(roots)}},\n"types":{${lines(types)}}}`;
}

function encodeRoot({ root, typeId }: PlannedRoot, apiVersion: string | undefined, shorten: (id: string) => string): EncodedRoot {
  return {
    kind: root.kind,
    ...(root.apiVersion === apiVersion ? {} : { apiVersion: root.apiVersion }),
    type: shorten(typeId),
    ...(root.scope === 'Cluster' ? { cluster: 1 as const } : {}),
    ...(root.resource === undefined ? {} : { resource: root.resource }),
    ...(root.subresources === undefined || root.subresources.length === 0 ? {} : { subresources: root.subresources }),
    ...(root.subresource === undefined ? {} : { subresource: root.subresource }),
    ...(root.overlaid === undefined || root.overlaid.length === 0 ? {} : { overlaid: root.overlaid }),
  };
}

function lines(entries: readonly (readonly [string, unknown])[]): string {
  return entries.map(([name, value]) => `\n${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',');
}

/** Returns a template literal that evaluates to exactly this text. */
export function templateLiteral(text: string): string {
  const escaped = text
    .replace(/[\\`]|\$(?=\{)/g, (character) => `\\${character}`)
    .replace(/[\u2028\u2029\r]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  return `\`${escaped}\``;
}
