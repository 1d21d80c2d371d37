import { readFileSync } from 'node:fs';

/** The next step for a program that creates an App of cdk8s. */
export const cdk8sAppPointer =
  "The program uses the App of cdk8s, which only writes YAML: import App from 'fieldwise' in its place. Charts and constructs stay as they are.";

/**
 * Returns true if a program that created no App of Fieldwise creates one of cdk8s: if one of its files, or the TypeScript beside a compiled
 * one, imports cdk8s and creates an App. Other words of a command name no files.
 */
export function usesCdk8sApp(files: readonly string[]): boolean {
  return files
    .flatMap((file) => [file, file.replace(/\.([cm]?)js$/, '.$1ts')])
    .map(fileText)
    .some((text) => /['"]cdk8s['"]/.test(text) && /\bnew (?:\w+\.)?App\b/.test(text));
}

function fileText(file: string): string {
  if (!/\.[cm]?[jt]sx?$/.test(file)) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
