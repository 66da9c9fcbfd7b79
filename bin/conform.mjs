#!/usr/bin/env node
import { launch } from './launch.mjs';

await launch('conformance/runner/main.ts');
