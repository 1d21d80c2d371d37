#!/usr/bin/env node
import { runProcess } from './run-process.js';

// kubectl runs `kubectl-fieldwise` for `kubectl fieldwise`, and passes all words after it.
runProcess('kubectl fieldwise');
