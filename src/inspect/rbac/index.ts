export { adviceOn } from './advice.js';
export { roleManifests, roleName, subjectOf } from './manifests.js';
export { type Rights, type RightsOptions, rightsOf } from './rights.js';
