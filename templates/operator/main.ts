import { App } from 'fieldwise';
import { installation } from './installation.js';

installation(new App());
