#!/usr/bin/env node
/** The command line: `palimpsest inspect FILE`. */

import './index.node.js';

import { main } from './cli/main.js';

process.exitCode = await main(process.argv);
