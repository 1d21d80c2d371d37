/** The file of an assembly that lists all other files. */
export const manifestName = 'manifest.json';
