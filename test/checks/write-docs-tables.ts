import { writeDocsTables } from './docs-tables.js';
import { writeReferencePages } from './reference-pages.js';

// `npm run docs:tables`
writeDocsTables();
await writeReferencePages();
