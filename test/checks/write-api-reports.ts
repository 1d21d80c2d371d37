import { writeApiReports } from './api-report.js';

// `npm run api`
await writeApiReports();
