import { STORAGES } from '../support/databases.ts';
import { storageContract } from './storage/contract.ts';

for (const [name, open] of Object.entries(STORAGES)) storageContract(name, open);
