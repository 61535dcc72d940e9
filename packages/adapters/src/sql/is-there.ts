import { REMOVED_NAME } from '@baobab/core';

/** Returns the condition that the removal of the user or collection with this name has not begun. */
export const isThere = (name = 'name') => `${name} <> '${REMOVED_NAME}'`;
