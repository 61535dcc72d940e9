export { schemasContract } from './contract.ts';
