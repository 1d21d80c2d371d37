import { App } from 'fieldwise';
import { declare } from './declare.js';

// `-c form=literals` declares the same objects without builders.
const app = new App();
declare(app, app.node.tryGetContext('form') === 'literals' ? 'literals' : 'builders');
