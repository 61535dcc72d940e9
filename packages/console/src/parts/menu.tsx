import { Menu as Base } from '@base-ui/react/menu';
import { Check, Ellipsis, type LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { texts } from '../texts.ts';
import { ICON_SIZE, IconButton } from './button.tsx';

export interface MenuEntry {
  readonly text: string;
  readonly act: () => unknown;
  readonly icon?: LucideIcon;
  /** True for actions that cannot be undone. */
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** True for the chosen one of several values. */
  readonly isChosen?: boolean;
}

export interface MenuGroup {
  readonly title?: string;
  readonly entries: readonly MenuEntry[];
}

interface MenuProps {
  readonly trigger: ReactElement;
  readonly groups: readonly MenuGroup[];
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'end';
}

function Entry({ entry }: { readonly entry: MenuEntry }): ReactNode {
  const { text, act, icon: Icon, isDanger = false, isDisabled = false, isChosen = false } = entry;
  return (
    <Base.Item className={`menu-item${isDanger ? ' danger' : ''}`} disabled={isDisabled} onClick={() => act()}>
      {Icon !== undefined && <Icon size={ICON_SIZE} aria-hidden={true} />}
      <span>{text}</span>
      {isChosen && <Check className="check-mark" size={ICON_SIZE} aria-label={texts.chosen} />}
    </Base.Item>
  );
}

export function Menu({ trigger, groups, side = 'bottom', align = 'end' }: MenuProps): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="positioner" side={side} align={align} sideOffset={4}>
          <Base.Popup className="popup">
            {groups.map(({ title, entries }, index) => (
              <Base.Group key={title ?? entries[0]?.text ?? ''}>
                {index > 0 && <Base.Separator className="menu-line" />}
                {title !== undefined && <Base.GroupLabel className="menu-label">{title}</Base.GroupLabel>}
                {entries.map((entry) => (
                  <Entry key={entry.text} entry={entry} />
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MoreMenuProps {
  readonly label?: string;
  readonly entries: readonly MenuEntry[];
  readonly isSmall?: boolean;
}

/** The menu behind ⋯. */
export function MoreMenu({ label = texts.more, entries, isSmall = false }: MoreMenuProps): ReactNode {
  return <Menu trigger={<IconButton icon={Ellipsis} label={label} isSmall={isSmall} />} groups={[{ entries }]} />;
}
