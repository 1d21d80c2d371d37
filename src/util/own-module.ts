/**
 * The URL or the path of this module, or of the file that it is bundled into: a bundler that writes a program as CommonJS leaves `import.meta`
 * empty. For `createRequire`, and for files of this package relative to `src/util`.
 */
export const ownModule: string = import.meta.url ?? __filename;
