import { parse } from 'yaml';
import { unchecked } from '../../codegen/generate-modules.js';
import { generateModules, readCrd } from '../../codegen/index.js';
import { constructorName } from '../../codegen/type-names.js';
import type { Table } from '../../src/builders/index.js';
import { rootType } from '../../src/builders/index.js';
import type { RootType } from '../../src/schema/index.js';
import type { CorpusCrd } from './read-corpus.js';
import type { ScratchProject } from './scratch-project.js';

/** The loaded modules that `import` generates from a CRD. */
export interface GeneratedCrd {
  /** Module files in the workshop. */
  readonly files: readonly string[];
  readonly roots: readonly GeneratedRoot[];
  /** True if a second run on the same text wrote other bytes. */
  readonly differs: readonly string[];
}

export interface GeneratedRoot {
  readonly root: RootType;
  /** File name without extension. */
  readonly module: string;
  /** Name of the literal's type without `Apply`. */
  readonly base: string;
  /** Name of the constructor. */
  readonly constructorName: string;
  readonly construct: (name: string) => unknown;
}

/** Generates twice and loads what was written first. */
export async function generateCrd(crd: CorpusCrd, workshop: ScratchProject): Promise<GeneratedCrd> {
  const write = async (document: unknown) => (await generateModules(readCrd(document, { docs: true }).roots, { docs: true })).files;
  const first = await write(crd.document);
  const second = await write(parse(crd.text, { merge: true, maxAliasCount: -1 }));
  const texts = new Map(second.map(({ path, text }) => [path, text]));
  const differs = first.filter(({ path, text }) => texts.get(path) !== text).map(({ path }) => path);
  const files: string[] = [];
  const roots: GeneratedRoot[] = [];
  for (const { path, text } of first) {
    const place = `${crd.name}/${path}`;
    files.push(workshop.write(place, text.replace(`${unchecked}\n`, '')));
    const module = await workshop.load(place, text);
    const table = module.$table as Table;
    for (const base of Object.keys((JSON.parse(table.json) as { roots: object }).roots)) {
      const name = constructorName(base);
      roots.push({
        root: rootType(table, base),
        module: place.replace(/\.ts$/, ''),
        base,
        constructorName: name,
        construct: module[name] as GeneratedRoot['construct'],
      });
    }
  }
  return { files, roots, differs: second.length === first.length ? differs : ['the number of files'] };
}
