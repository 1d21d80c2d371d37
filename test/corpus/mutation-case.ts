import { generateModules, ownershipReport, readCrd } from 'fieldwise/codegen';
import { ts } from 'ts-morph';
import { mutations } from './mutations.js';
import { Random } from './random.js';

/** How the generator took a mutated CRD. `generated` and `refused` are right, everything else is a defect. */
export interface CaseResult {
  readonly outcome: 'generated' | 'refused' | 'failed';
  /** Code of the refusal, or what went wrong. */
  readonly detail: string;
  /** The mutation of the CRD. */
  readonly steps: readonly string[];
  readonly milliseconds: number;
}

/** Longer than this is a hang. The largest CRD of the corpus takes a fifth of it. */
export const timeLimit = 20_000; // milliseconds

const declarations = new Set([
  ts.SyntaxKind.ImportDeclaration,
  ts.SyntaxKind.ExportDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.VariableStatement,
]);

/** Mutates a CRD by the seed and lets the generator have it. */
export async function mutationCase(crd: unknown, seed: number): Promise<CaseResult> {
  const random = new Random(seed);
  const document: unknown = structuredClone(crd);
  const steps: string[] = [];
  for (let left = 1 + random.below(6); left > 0; left--) {
    try {
      steps.push(random.pick(mutations)(document, random));
    } catch {
      break; // what nests as deep as an earlier step made it cannot be copied any more
    }
  }
  const started = performance.now();
  const done = (outcome: CaseResult['outcome'], detail: string): CaseResult => {
    const milliseconds = performance.now() - started;
    if (milliseconds > timeLimit) return { outcome: 'failed', detail: `it took ${Math.round(milliseconds)} ms`, steps, milliseconds };
    return { outcome, detail, steps, milliseconds };
  };
  try {
    const docs = random.chance(0.5);
    const { roots } = readCrd(document, { file: 'mutated.yaml', docs });
    ownershipReport(roots);
    const { files } = await generateModules(roots, { docs });
    const wrong = files.map(({ text }) => problemOf(text)).find((problem) => problem !== undefined);
    return wrong === undefined ? done('generated', `${files.length} files`) : done('failed', wrong);
  } catch (error) {
    if (error instanceof Error && error.name === 'FieldwiseError') return done('refused', (error as Error & { code: string }).code);
    return done('failed', error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' | ') : String(error));
  }
}

/** Returns the errors of a module: it must parse and contain only declarations, and its table must be JSON. */
function problemOf(text: string): string | undefined {
  const file = ts.createSourceFile('module.ts', text, ts.ScriptTarget.ES2022, true);
  const { parseDiagnostics } = file as unknown as { readonly parseDiagnostics: readonly { readonly messageText: unknown }[] };
  const [broken] = parseDiagnostics;
  if (broken !== undefined) return `the module does not parse: ${String(broken.messageText)}`;
  const other = file.statements.find(({ kind }) => !declarations.has(kind));
  if (other !== undefined) return `the module holds ${ts.SyntaxKind[other.kind]}: ${other.getText().slice(0, 80)}`;
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  return diagnostics.length === 0 ? undefined : `the module does not compile: ${String(diagnostics[0]?.messageText)}`;
}
