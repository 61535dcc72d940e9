import { type ReactNode, useCallback, useId, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Listbox, optionId, useChoice } from '../../parts/listbox.tsx';
import { useService } from '../../parts/service.ts';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { beginsWith } from '../../values/patterns.ts';

const TEXTS = texts.palette;
/** Maximum number of suggested users, and of collections. */
const MOST = 6;
/** Debounce time of typing, in milliseconds. */
const PAUSE_MS = 150;

export interface Command {
  readonly text: string;
  readonly act: () => unknown;
}

interface PaletteProps {
  /** The views and the commands available everywhere. */
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Loads the users whose names have a prefix. */
function useUsers(text: string) {
  const { users } = useService().client.admin;
  const load = useCallback(
    async (signal: AbortSignal): Promise<readonly Command[]> => {
      if (text === '') return [];
      await pause(signal);
      const query = users.query().whereField('user.name', 'like', beginsWith(text)).orderBy('user.name');
      const { rows } = await query.pageSize(MOST).page(null, { signal });
      return rows.map(({ user: { name } }) => ({ text: TEXTS.user(name), act: () => go(['users', name]) }));
    },
    [users, text],
  );
  return useLoad(load);
}

/** @param isWanted true to load them; the server counts their documents, which may take a while */
function useCollections(isWanted: boolean) {
  const { collections } = useService().client.admin;
  const load = useCallback(
    async (signal: AbortSignal): Promise<readonly string[]> => (isWanted ? collections.names({ signal }) : []),
    [collections, isWanted],
  );
  return useLoad(load);
}

/** Finds views, collections and users by name. The focus stays in the input. */
export function Palette({ commands, onClose }: PaletteProps): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const collections = useCollections(wanted !== '');
  const users = useUsers(text.trim());
  const found = (collections.data ?? [])
    .filter((name) => wanted !== '' && name.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map((name): Command => ({ text: TEXTS.collection(name), act: () => go(['collections', name]) }));
  const options = [
    ...commands.filter((command) => command.text.toLowerCase().includes(wanted)),
    ...found,
    ...(wanted === '' ? [] : (users.data ?? [])),
  ];

  function pick(index: number): void {
    const option = options[index];
    if (option === undefined) return;
    onClose();
    option.act();
  }

  const { active, setActive, onKey } = useChoice(options.length, 0, pick);
  return (
    <Dialog title={TEXTS.title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={TEXTS.input}
        placeholder={TEXTS.input}
        value={text}
        onChange={({ target }) => {
          setActive(0);
          setText(target.value);
        }}
        onKeyDown={onKey}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-options`}
        aria-activedescendant={active >= 0 ? optionId(`${id}-options`, active) : undefined}
      />
      <Listbox
        id={`${id}-options`}
        label={TEXTS.title}
        options={options.map(({ text: name }) => ({ key: name, content: name }))}
        active={active}
        onPick={pick}
      />
      <p role="status">{options.length === 0 && !users.isLoading ? TEXTS.none : ''}</p>
      <Failure error={users.error ?? collections.error} />
    </Dialog>
  );
}
