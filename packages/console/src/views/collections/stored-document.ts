import type { DocumentFields } from '@baobab/client';
import type { JsonObject } from '../../values/json.ts';

export type StoredDocument = JsonObject & DocumentFields;
