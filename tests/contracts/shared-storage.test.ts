import { sharedStorageContract } from '@baobab/contracts/storage';
import { SHARED_STORAGES } from '../support/shared.ts';

for (const [name, open] of Object.entries(SHARED_STORAGES)) sharedStorageContract(name, open);
