import { type CommandNode, nodesOf } from './command-tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const nameOf = ({ path }: CommandNode) => path.slice(path.lastIndexOf(' ') + 1);

/** Returns the words that may follow a command: its subcommands and options. */
const wordsOf = ({ children, options }: CommandNode) => [...children.map(nameOf), ...options.map(({ name }) => name)];

/** Returns `at word` for each command of the program. */
const stepsOf = (tree: CommandNode) =>
  nodesOf(tree)
    .filter(({ path }) => path !== '')
    .map(({ path }) => (path.includes(' ') ? path : ` ${path}`));

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(tree: CommandNode): string {
  const cases = nodesOf(tree).map((node) => `    ${quoted(node.path)}) words=${quoted(wordsOf(node).join(' '))} ;;`);
  return `# Completion of baobab for bash: source <(baobab completion bash)
_baobab() {
  local at='' words='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$at $word" in
      ${stepsOf(tree).map(quoted).join(' | ')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _baobab baobab
`;
}

function zsh(tree: CommandNode): string {
  const cases = nodesOf(tree).map((node) => `    ${quoted(node.path)}) compadd -- ${wordsOf(node).join(' ')} ;;`);
  return `#compdef baobab
# Completion of baobab for zsh: source <(baobab completion zsh)
_baobab() {
  local at='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${stepsOf(tree)
        .map((step) => `(${quoted(step)})`)
        .join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  _files
}
compdef _baobab baobab
`;
}

function fish(tree: CommandNode): string {
  const lines = nodesOf(tree).flatMap((node) => {
    const when = `-n ${quoted(`test (__baobab_at) = "${node.path}"`)}`;
    return [
      ...node.children.map(
        (child) => `complete -c baobab ${when} -f -a ${nameOf(child)} -d ${quoted(child.description)}`,
      ),
      ...node.options.map(
        ({ name, description }) => `complete -c baobab ${when} -l ${name.slice(2)} -d ${quoted(description)}`,
      ),
    ];
  });
  return `# Completion of baobab for fish: baobab completion fish | source
function __baobab_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${stepsOf(tree).map(quoted).join(' ')}
        set at (string trim -- "$at $word")
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}

const SCRIPTS: Readonly<Record<Shell, (tree: CommandNode) => string>> = { bash, zsh, fish };

/** Returns a script that completes the commands and options of the program in a shell. */
export const completionOf = (shell: Shell, tree: CommandNode): string => SCRIPTS[shell](tree);
