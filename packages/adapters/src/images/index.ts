export { createImages } from './choose.ts';
export { createSharpImages } from './sharp.ts';
export { importSharp, type Sharp } from './sharp-module.ts';
export { createWasmImages, type ImageLimits } from './wasm.ts';
