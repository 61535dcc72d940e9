// Written by "baobab types". Do not change it: run the command again after a schema has changed.

export type Items = {
  /** The id of the list */
  "list": string;
  "title": string;
  "done": boolean;
  /** The id of a file */
  "photo"?: string;
};

export type Lists = {
  "title": string;
  /** The id of the group with which the list is shared */
  "group"?: string;
};

/** The content of documents, by collection. */
export interface App {
  collections: {
    "items": Items;
    "lists": Lists;
  };
}
