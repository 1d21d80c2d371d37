#!/usr/bin/env node
// The build copies this file to the commands. Every Node since 0.12 can parse it, so an old one says what is wrong instead of a SyntaxError.
'use strict';

var needed = 20;
var node = process.versions.node;
var words = ['error: Fieldwise needs Node', needed, 'or newer, and this is', node.concat(':'), process.execPath, '[node-too-old]'];
if (Number(node.split('.')[0]) < needed) {
  process.stderr.write(words.join(' ').concat('\n'));
  process.exit(2);
}
require('./COMMAND');
