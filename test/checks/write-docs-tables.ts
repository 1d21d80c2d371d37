import { writeDocsTables } from './docs-tables.js';

// `npm run docs:tables`
writeDocsTables();
