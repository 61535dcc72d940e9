import { createClient } from '@baobab/client';
import { live } from '@baobab/client/live';
import type { App, Board } from './types.ts';

/** The client of the server, shared by the whole app. The session survives a reload. */
export const baobab = createClient<App>({
  url: import.meta.env.VITE_SERVICE ?? 'http://localhost:9000',
  appCode: import.meta.env.VITE_APP_CODE ?? '1234567890',
  storage: 'localStorage',
  live,
});

export const boards = baobab.collection('boards');
export const tasks = baobab.collection('tasks');
export const comments = baobab.collection('comments');

/** Creates a board with a group of members, and shares it with them. Its tasks and comments need no grants. */
export async function addBoard(title: string): Promise<Board> {
  const { id: group } = await baobab.groups.create(title);
  const board = await boards.create({ title, group });
  await boards.setGrants(board.id, { read: { groups: [group] }, update: { groups: [group] } });
  return board;
}
