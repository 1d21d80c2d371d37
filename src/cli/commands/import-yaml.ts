// Loaded by those who meet YAML: a bundle gives the names of a CommonJS package only to a module that imports it by its head.
export { parseAllDocuments, stringify } from 'yaml';
