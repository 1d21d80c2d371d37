import { builtInTypes } from '../../../codegen/built-in-types.js';
import { generateModules, readCrd } from '../../../codegen/index.js';
import { planModules } from '../../../codegen/plan-modules.js';
import { camelCase } from '../../../codegen/type-names.js';
import { objectMetaName } from '../../../src/schema/index.js';
import { readCorpus } from '../read-corpus.js';
import { builtInShapes, hasBuiltInShape, isNamedAfterBuiltIn } from './built-in-shapes.js';
import { contradicts } from './contradiction.js';
import { isBadSingular } from './english.js';
import { javascriptGlobals } from './javascript-globals.js';
import { type UsedType, usedTypes } from './type-uses.js';

/** A type and how many of its uses its name contradicts. */
export interface MeasuredType extends UsedType {
  readonly total: number;
  readonly contradicted: number;
}

/** Types that have the fields of a type of the built-in API. */
export interface BuiltInLookalikes {
  readonly types: number;
  /** Those that also have its name. */
  readonly named: number;
}

/** The names that an import of all CRDs of a directory in one command gives. */
export interface NamesResult {
  readonly lookalikes: BuiltInLookalikes;
  readonly types: readonly MeasuredType[];
  /** Types whose last word is no English singular, as `module Name`. */
  readonly badSingulars: readonly string[];
  /** Functions of parts that hide a global, as `module name()`. */
  readonly shadowing: readonly string[];
  /** The same of kinds: their names are not ours to choose. */
  readonly shadowingKinds: readonly string[];
}

/** Measures the names of the types of a corpus directory; see `contradicts` for the rule. */
export async function measureNames(directory: string): Promise<NamesResult> {
  const roots = [...readCorpus(directory)].flatMap(({ document }) => readCrd(document).roots);
  const shapes = await builtInShapes();
  const plan = planModules(roots, (name) => (name === objectMetaName ? 'meta/v1' : undefined), {}, await builtInTypes());
  const used = usedTypes(plan);
  const types = used.map((type) => countContradictions(type, isNamedAfterBuiltIn(type.base, type.fields, shapes)));
  const alike = used.filter(({ fields }) => hasBuiltInShape(fields, shapes));
  const named = alike.filter(({ base, fields }) => isNamedAfterBuiltIn(base, fields, shapes)).length;
  const globals = javascriptGlobals();
  const { files } = await generateModules(roots);
  const [shadowing, shadowingKinds]: [string[], string[]] = [[], []];
  for (const { path, text, kinds } of files) {
    const ofKinds = new Set(kinds.map((kind) => camelCase(kind)));
    for (const name of functionsOf(text)) {
      if (globals.has(name)) (ofKinds.has(name) ? shadowingKinds : shadowing).push(`${path.replace(/\.ts$/, '')} ${name}()`);
    }
  }
  const badSingulars = types.filter(({ base, uses }) => isBadSingular(base) && !isSpelledSo(base, uses));
  return {
    types,
    lookalikes: { types: alike.length, named },
    shadowing,
    shadowingKinds,
    badSingulars: badSingulars.map(({ module, base }) => `${module} ${base}`),
  };
}

/** Counts the uses that a type's name contradicts; none if the built-in API has the name for the shape. */
export function countContradictions(type: UsedType, builtIn: boolean): MeasuredType {
  const sum = (uses: UsedType['uses']) => uses.reduce((total, { count }) => total + count, 0);
  const contradicted = builtIn ? 0 : sum(type.uses.filter((use) => contradicts(type.base, use)));
  return { ...type, total: sum(type.uses), contradicted };
}

/** Names of the functions that a generated module exports. */
export function functionsOf(text: string): string[] {
  const exported = [...text.matchAll(/^export (?:declare )?(?:function|const) ([A-Za-z_$][\w$]*)/gm)];
  return exported.map(([, name]) => name as string).filter((name) => !name.startsWith('$'));
}

// The author of the schema may have written the word.
function isSpelledSo(base: string, uses: UsedType['uses']): boolean {
  return uses.some(({ property }) => base.toLowerCase().replace(/\d+$/, '').endsWith(property.toLowerCase()));
}

/** The report for people; `all` lists the twenty worst types and every name. */
export function namesText({ types, lookalikes, badSingulars, shadowing, shadowingKinds }: NamesResult, all: boolean): string {
  const mostly = types.filter(({ contradicted, total }) => 2 * contradicted > total);
  const sum = (pick: (type: MeasuredType) => number) => types.reduce((total, type) => total + pick(type), 0);
  const [uses, contradicted] = [sum(({ total }) => total), sum((type) => type.contradicted)];
  const distinct = sum((type) => type.uses.length);
  const worst = [...types].sort((a, b) => b.contradicted - a.contradicted || (a.base < b.base ? -1 : 1)).slice(0, 20);
  const lines = [
    `${mostly.length} of ${types.length} types contradict most of their uses (${percent(mostly.length, types.length)})`,
    `${types.filter((type) => type.contradicted > 0).length} types contradict a use`,
    `${contradicted} of ${uses} uses are contradicted (${percent(contradicted, uses)}); ${distinct} pairs of type and property`,
    `${lookalikes.types} types have the fields of a type of the built-in API, ${lookalikes.named} of them its name`,
    `${badSingulars.length} types are no English singular${listed(badSingulars, all)}`,
    `${shadowing.length} functions of parts hide a global of JavaScript${listed(shadowing, all)}`,
    `${shadowingKinds.length} functions of kinds do${listed(shadowingKinds, all)}`,
  ];
  if (all && contradicted > 0) {
    lines.push('the types with the most contradicted uses:');
    for (const type of worst) if (type.contradicted > 0) lines.push(`  ${typeText(type)}`);
  }
  return lines.map((line) => `  ${line}\n`).join('');
}

function typeText({ module, base, contradicted, total, uses }: MeasuredType): string {
  const shown = uses.slice(0, 6).map(({ property, many, count }) => `${property}${many ? '[]' : ''} ${count}`);
  const more = uses.length > 6 ? `, and ${uses.length - 6} more` : '';
  return `${module} ${base}: ${contradicted} of ${total}, at ${shown.join(', ')}${more}`;
}

function listed(names: readonly string[], all: boolean): string {
  if (names.length === 0) return '';
  const shown = all ? names : names.slice(0, 5);
  return `: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}
