import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useId, useState } from 'react';
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
  return useLoad(['palette', 'users', text], async (signal): Promise<readonly Command[]> => {
    if (text === '') return [];
    await pause(signal);
    const query = users.query().whereField('user.name', 'like', beginsWith(text)).orderBy('user.name');
    const { rows } = await query.pageSize(MOST).page(null, { signal });
    return rows.map(({ user: { name } }) => ({ text: TEXTS.user(name), act: () => go(['users', name]) }));
  });
}

const focusAtOnce = (input: HTMLInputElement | null): void => input?.focus();

/** Finds views, collections and users by name. The focus stays in the input. */
export function Palette({ commands, onClose }: PaletteProps): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  const [focusedBefore] = useState(() => document.activeElement);
  const wanted = text.trim().toLowerCase();
  const { client } = useService();
  const collections = useLoad(['collections', 'names'], (signal) => client.admin.collections.names({ signal }));
  const users = useUsers(text.trim());
  const found = (collections.data ?? [])
    .filter((name) => wanted !== '' && name.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map((name): Command => ({ text: TEXTS.collection(name), act: () => go(['collections', name]) }));
  const contains = (command: Command) => command.text.toLowerCase().includes(wanted);
  const options = [
    ...commands.filter(contains),
    ...found,
    // Until the next response, these are the users of the text before.
    ...(wanted === '' ? [] : (users.data ?? []).filter(contains)),
  ];

  function pick(index: number): void {
    const option = options[index];
    if (option === undefined) return;
    onClose();
    option.act();
  }

  const { active, setActive, onKey } = useChoice(options.length, 0, pick);
  return (
    <Base.Root open={true} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className="dialog palette"
          aria-label={TEXTS.title}
          finalFocus={() => (focusedBefore instanceof HTMLElement ? focusedBefore : true)}
        >
          <input
            // In the same turn as Ctrl-K: the dialog moves the focus later, and keys until then would be lost.
            ref={focusAtOnce}
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
          <div className="note">
            <p role="status" className="muted">
              {options.length === 0 && !users.isLoading ? TEXTS.none : ''}
            </p>
            <Failure error={users.error ?? collections.error} />
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
