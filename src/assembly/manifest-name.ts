/** The file of an assembly that names all others. */
export const manifestName = 'manifest.json';
