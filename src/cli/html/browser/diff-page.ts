import type { DiffPageData } from '../page-data.js';
import { pageData } from './dom.js';

pageData<DiffPageData>();
