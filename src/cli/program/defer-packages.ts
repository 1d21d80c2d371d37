import { createRequire, Module } from 'node:module';
import path from 'node:path';

/** Packages inside the package cdk8s, which loads them at its start and uses them in few programs. */
const deferred = ['yaml', 'fast-json-patch'];

/**
 * Makes the cdk8s that a file imports load its own YAML and JSON patch packages when it first uses them: they take longer to load than the rest of it.
 * Copies that other packages may load, too, are left alone.
 */
export function deferPackagesOfCdk8s(file: string): void {
  const cdk8s = resolved(createRequire(file), 'cdk8s');
  if (cdk8s === undefined) return;
  const require = createRequire(cdk8s);
  const own = path.join(path.dirname(path.dirname(cdk8s)), 'node_modules', path.sep);
  for (const name of deferred) {
    const main = resolved(require, name);
    if (main?.startsWith(own) && require.cache[main] === undefined) require.cache[main] = deferredModule(main, require);
  }
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined; // the import itself tells it
  }
}

/** Returns a module that takes its own place in the cache until one of its exports is read. */
function deferredModule(main: string, require: NodeJS.Require): NodeJS.Module {
  const stub = new Module(main) as NodeJS.Module;
  const exportsOf = (): object => {
    if (require.cache[main] === stub) delete require.cache[main];
    return require(main) as object;
  };
  // With `__esModule`, the helpers of compiled modules pass the exports on as they are, instead of copying each.
  const get = (_: object, name: string | symbol): unknown => {
    if (name === '__esModule') return true;
    return name === 'default' ? exportsOf() : Reflect.get(exportsOf(), name);
  };
  stub.exports = new Proxy({}, { get });
  stub.loaded = true;
  return stub;
}
