import { App } from 'fieldwise'; // the App of cdk8s writes YAML files; this one is deployed
import { Web } from './web.js';

new Web(new App(), 'web');
