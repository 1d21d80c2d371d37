import { certificate } from './certificate.js';
import { deployment } from './deployment.js';
import { httpRoute } from './http-route.js';
import type { Subject } from './mistake.js';
import { prometheus } from './prometheus.js';
import { service } from './service.js';
import { virtualService } from './virtual-service.js';

/** All subjects with their typical mistakes. */
export const subjects: readonly Subject[] = [deployment, service, certificate, httpRoute, prometheus, virtualService];
