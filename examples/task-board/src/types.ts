import type { Stored } from '@baobab/client';

export const COLUMNS = ['open', 'doing', 'done'] as const;

/** The content of documents, by collection. */
export interface App {
  collections: {
    boards: {
      title: string;
      /** Id of the group of its members. */
      group: string;
    };
    tasks: {
      /** Id of the board. */
      board: string;
      title: string;
      column: (typeof COLUMNS)[number];
      /** User name. */
      assignee: string;
    };
    comments: {
      /** Id of the task. */
      task: string;
      text: string;
    };
  };
}

export type Board = Stored<App['collections']['boards']>;
export type Task = Stored<App['collections']['tasks']>;
