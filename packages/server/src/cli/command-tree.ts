import type { Command } from 'commander';

/** Command or command group, for completion and documentation. */
export interface CommandNode {
  /** Names that lead to it, such as `user list`; empty for the program. */
  readonly path: string;
  readonly description: string;
  /** Arguments, such as `<username> <role>`. */
  readonly argumentNames: string;
  /** Visible options, except those of the program. */
  readonly options: ReadonlyArray<{ readonly name: string; readonly flags: string; readonly description: string }>;
  readonly children: readonly CommandNode[];
}

export function treeOf(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  return {
    path: path.join(' '),
    description: command.description(),
    argumentNames: command.registeredArguments
      .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
      .join(' '),
    options: help
      .visibleOptions(command)
      .filter(({ long }) => long !== undefined && long !== null)
      .map(({ long, flags, description }) => ({ name: String(long), flags, description })),
    children: command.commands.map((child) => treeOf(child, [...path, child.name()])),
  };
}

/** Returns the node and all its descendants. */
export const nodesOf = (node: CommandNode): readonly CommandNode[] => [node, ...node.children.flatMap(nodesOf)];
