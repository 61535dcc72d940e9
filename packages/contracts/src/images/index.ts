export { type ImageLimits, imagesContract, type OpenImages } from './contract.ts';
export { type Decoded, decode, difference, formatOf, quadrants } from './decode.ts';
export * from './pictures.ts';
