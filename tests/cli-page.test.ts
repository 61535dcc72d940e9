import { describe, expect, it } from 'vitest';
import { type CommandNode, nodesOf, treeOf } from '../packages/server/src/cli/command-tree.ts';
import { createProgram } from '../packages/server/src/cli/program.ts';
import { readDocument } from './support/markdown.ts';

const rowOf = ({ path, argumentNames, options, description }: CommandNode) => {
  const usage = argumentNames === '' ? path : `${path} ${argumentNames}`;
  const own = options.filter(({ name }) => name !== '--json' && name !== '--help').map(({ flags }) => `\`${flags}\``);
  return `| \`${usage}\` | ${description} | ${own.join(', ')} |`.replace('|  |', '| |');
};

describe('docs/cli.md', () => {
  it('lists every command with its options', () => {
    const commands = nodesOf(treeOf(createProgram({}))).filter(({ children }) => children.length === 0);
    const page = readDocument('docs/cli.md');
    const rows = page
      .slice(page.indexOf('## All commands'))
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(commands.map(rowOf));
  });
});
