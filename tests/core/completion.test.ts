import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { nodesOf, treeOf } from '../../packages/server/src/cli/command-tree.ts';
import { completionOf } from '../../packages/server/src/cli/completion.ts';
import { createProgram } from '../../packages/server/src/cli/program.ts';

const TREE = treeOf(createProgram({}));

/** Returns the completions of bash after these words; the last one is being typed. */
function offered(words: readonly string[]): string[] {
  const script = `${completionOf('bash', TREE)}
    COMP_WORDS=(baobab "$@"); COMP_CWORD=$#
    _baobab
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', script, 'bash', ...words], {
    encoding: 'utf8',
  });
  return output.split('\n').filter((word) => word !== '');
}

describe('the completion of a shell', () => {
  it('offers commands and options in bash', () => {
    expect(offered(['ba'])).toEqual(['backup']);
    expect(offered([''])).toEqual(expect.arrayContaining(['serve', 'user', 'doctor', 'completion', '--json']));
    expect(offered(['user', ''])).toEqual(expect.arrayContaining(['create', 'list', 'show', 'sessions']));
    expect(offered(['user', ''])).not.toContain('backup');
    expect(offered(['user', 's'])).toEqual(['show', 'sessions']);
    expect(offered(['--json', 'user', 'list', '--or'])).toEqual(['--orderBy']);
    expect(offered(['document', 'query', 'books', '--where', 'x = 1', '--rec'])).toEqual(['--recordsPerPage']);
    expect(offered(['backup', '--'])).toEqual(expect.arrayContaining(['--to', '--force', '--throttle', '--json']));
    expect(offered(['nonsense', 'li'])).toEqual([]);
  });

  it('is registered for the program', () => {
    const script = `${completionOf('bash', TREE)}\ncomplete -p baobab`;
    const output = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
    expect(output).toBe('complete -o default -F _baobab baobab\n');
  });

  it('knows every command and option in every shell', () => {
    const [, zsh, fish] = (['bash', 'zsh', 'fish'] as const).map((shell) => completionOf(shell, TREE));
    for (const { path, options } of nodesOf(TREE)) {
      const name = path.slice(path.lastIndexOf(' ') + 1);
      for (const option of options) {
        expect(zsh).toContain(option.name);
        expect(fish).toContain(` -l ${option.name.slice(2)} `);
      }
      if (path === '') continue;
      expect(zsh).toContain(`'${path}') compadd`);
      expect(fish).toContain(` -a ${name} -d `);
    }
    // fish 3.6 passes no argument to `test` for an empty `string collect`, so completion of the first word failed.
    expect(fish).not.toContain('string collect');
  });
});
