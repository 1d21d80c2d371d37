import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { appNameOf } from '../util/app-name.js';
import { nearestWith } from '../util/nearest-with.js';
import { ownModule } from '../util/own-module.js';

/**
 * Returns the name of an app that neither the program nor the command line names, because another tool runs the program, such as cdk8s or a
 * test runner: `name` of fieldwise.yaml, else that of package.json (docs/decisions/82). Undefined without both.
 */
export function projectName(directory: string): string | undefined {
  const configured = memberName(path.join(directory, 'fieldwise.yaml'), (text) => {
    const yaml = createRequire(ownModule)('yaml') as typeof import('yaml');
    return yaml.parse(text);
  });
  if (configured !== undefined) return configured;
  const root = nearestWith(directory, 'package.json');
  const named = root === undefined ? undefined : memberName(path.join(root, 'package.json'), JSON.parse);
  return named === undefined ? undefined : appNameOf(named);
}

/** Returns `name` of a file; undefined without one, or if the file cannot be read, which the command line reports. */
function memberName(file: string, parse: (text: string) => unknown): string | undefined {
  try {
    const { name } = parse(readFileSync(file, 'utf8')) as { readonly name?: unknown };
    return typeof name === 'string' && /\S/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
