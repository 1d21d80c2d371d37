/** The options with which programs of users are compiled, in the form of a tsconfig.json. */
export const compilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['es2022'],
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
};
