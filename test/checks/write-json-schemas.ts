import { writeJsonSchemas } from './json-schemas.js';

// `npm run json-schemas`
writeJsonSchemas();
