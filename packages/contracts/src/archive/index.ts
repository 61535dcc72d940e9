export { archiveContract, type OpenedArchive, readAll } from './contract.ts';
