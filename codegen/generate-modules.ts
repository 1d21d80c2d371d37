import type { RootType, SchemaDiagnostic } from '../src/schema/index.js';
import { objectMetaName } from '../src/schema/index.js';
import { builtInTypes } from './built-in-types.js';
import { emitModule } from './emit-module.js';
import { FieldFacts } from './facts/field-facts.js';
import { generatedMarker } from './generated-marker.js';
import { insideAtomic } from './inside-atomic.js';
import { keyedPositions } from './list-keys.js';
import type { LockedNames, ModulePlan } from './module-plan.js';
import { planModules } from './plan-modules.js';

/** Options of `generateModules`. */
export interface GenerateOptions {
  /**
   * Keeps the schemas' descriptions as doc comments. Needs roots that were read with `docs: true`.
   * @default false
   */
  readonly docs?: boolean;
  /**
   * The command that the header names.
   * @default 'fieldwise import'
   */
  readonly command?: string;
  /**
   * Writes types of the Kubernetes API instead of importing them from `fieldwise/k8s/…`.
   * @default false
   */
  readonly builtIn?: boolean;
  /**
   * Writes facts of the built-in API and links to its reference as doc comments. The roots must be those of the Kubernetes version that ships.
   * @default false
   */
  readonly facts?: boolean;
  /** The prefix of the modules' directories: `edge` writes `edge-edge.example.com/v1.ts`. */
  readonly prefix?: string;
  /** Names of an earlier result: a type at the same place keeps its name, whatever was added since. */
  readonly names?: LockedNames;
  /**
   * Returns the specifier of the builders' run time for a module path such as `apps/v1`.
   * @default `fieldwise/builders`
   */
  readonly runtime?: (module: string) => string;
}

/** A generated module. */
export interface GeneratedFile {
  /** Relative, with forward slashes, such as `edge.example.com/v1.ts`. */
  readonly path: string;
  /** Its content. */
  readonly text: string;
  /** Kinds that the module has builders for. */
  readonly kinds: readonly string[];
}

/** The result of `generateModules`. */
export interface GenerateResult {
  /** The modules, by path. */
  readonly files: readonly GeneratedFile[];
  /** Facts about the schemas that a person should know, such as a name that had to be changed. */
  readonly diagnostics: readonly SchemaDiagnostic[];
  /** The given names by module and identity; a later run can pass them as `names`. */
  readonly names: LockedNames;
}

/**
 * Generates modules with builders for root types and for all types that they refer to. The same input gives the same bytes.
 *
 * @example
 * ```ts
 * const { roots } = readCrd(parse(readFileSync('crd.yaml', 'utf8')));
 * const { files } = await generateModules(roots);
 * for (const { path, text } of files) writeFileSync(join('imports', path), text);
 * ```
 */
export async function generateModules(roots: readonly RootType[], options: GenerateOptions = {}): Promise<GenerateResult> {
  const external = (name: string) => (options.builtIn !== true && name === objectMetaName ? 'meta/v1' : undefined);
  const { prefix } = options;
  const locked = Object.entries(options.names ?? {}).map(([path, names]) => [withoutPrefix(path, prefix), names] as const);
  const planned = planModules(roots, external, Object.fromEntries(locked), options.builtIn === true ? [] : await builtInTypes());
  const plan = prefix === undefined ? planned : prefixModules(planned, prefix);
  const diagnostics: SchemaDiagnostic[] = [...plan.diagnostics];
  const positions = keyedPositions(plan);
  const inside = insideAtomic(plan);
  const facts = options.facts === true ? new FieldFacts(plan, inside) : undefined;
  const files: GeneratedFile[] = [];
  const names: Record<string, Record<string, string>> = {};
  for (const module of plan.modules) {
    const kinds = module.roots.filter(({ root }) => root.subresource === undefined).map(({ root }) => root.kind);
    const text = await emitModule(
      plan,
      module,
      positions,
      {
        header: header(options.command ?? 'fieldwise import', kinds, options.builtIn === true),
        checked: options.builtIn === true,
        docs: options.docs === true,
        facts,
        insideAtomic: inside,
        runtime: options.runtime ?? (() => 'fieldwise/builders'),
        specifier: (from, to, isExternal) => (isExternal ? `fieldwise/k8s/${to}` : relative(from, to)),
      },
      diagnostics,
    );
    files.push({ path: `${module.path}.ts`, text, kinds });
    names[module.path] = Object.fromEntries([...module.types.map(({ base, position }) => [base, position]), ...module.aliases]);
  }
  return { files, diagnostics: diagnostics, names };
}

/** Excludes a module from type checks. Fieldwise's own tests check generated modules, so that users' compilers need not. */
export const unchecked = '// @ts-nocheck';

function header(command: string, kinds: readonly string[], checked: boolean): string {
  const lines = [`${generatedMarker} Do not edit: run \`${command}\` again.`];
  if (kinds.length > 0) lines.push(`// Kinds: ${kinds.join(', ')}`);
  if (!checked) lines.push(unchecked);
  return `${lines.join('\n')}\n`;
}

function withoutPrefix(path: string, prefix: string | undefined): string {
  return prefix !== undefined && path.startsWith(`${prefix}-`) ? path.slice(prefix.length + 1) : path;
}

function relative(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  return `${up || './'}${to}.js`;
}

/** Returns a plan whose modules are in directories with the given prefix, as `NAME:=SPEC` requests. */
export function prefixModules(plan: ModulePlan, prefix: string): ModulePlan {
  const moved = (path: string) => `${prefix}-${path}`;
  const types = new Map([...plan.types].map(([id, type]) => [id, type.external ? type : { ...type, module: moved(type.module) }]));
  const modules = plan.modules.map((module) => ({
    path: moved(module.path),
    roots: module.roots,
    types: module.types.map((type) => types.get(type.id) ?? type),
    aliases: module.aliases,
  }));
  return { ...plan, types, modules };
}
