import { App } from 'fieldwise';
import { hello } from './hello.js';

hello(new App());
