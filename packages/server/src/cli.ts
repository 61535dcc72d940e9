#!/usr/bin/env node
import { launch } from './launch.ts';

await launch('commands');
