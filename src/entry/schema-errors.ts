/** For the command line, which says whether a server would refuse a CRD without loading the whole server. */
export { schemaErrorTexts } from '../apiserver/schema-errors.js';
