import { Dialog as Base } from '@base-ui/react/dialog';
import {
  Activity,
  Bell,
  BookOpen,
  CircleUser,
  Database,
  FileText,
  Gauge,
  HeartPulse,
  Image,
  KeyRound,
  LogOut,
  type LucideIcon,
  Plus,
  ScrollText,
  Search,
  Settings,
  ShieldCheck,
  Users,
  UsersRound,
  Webhook,
} from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { hrefOf } from './address.ts';
import mark from './baobab.svg';
import { chooseLanguage, isLanguage, LANGUAGES, language } from './language.ts';
import { ICON_SIZE, IconButton } from './parts/button.tsx';
import { Menu, type MenuGroup } from './parts/menu.tsx';
import { useService } from './parts/service.ts';
import { go } from './place.ts';
import { texts } from './texts.ts';
import { chooseTheme, storedTheme, THEMES } from './theme.ts';
import { useLoad } from './use-load.ts';
import { numberText } from './values/format.ts';

const TEXTS = texts.frame;
/** Collections listed in the sidebar. */
const MOST_COLLECTIONS = 30;

type Link = readonly [section: string, text: string, icon: LucideIcon];

const OVERVIEW: Link = ['overview', TEXTS.overview, Gauge];
const COLLECTIONS: Link = ['collections', TEXTS.collections, Database];
const SETTINGS: Link = ['settings', TEXTS.settings, Settings];
const GROUPS: readonly (readonly [title: string, links: readonly Link[]])[] = [
  [TEXTS.data, [COLLECTIONS, ['files', texts.files.title, FileText], ['assets', texts.assets.title, Image]]],
  [
    TEXTS.people,
    [
      ['users', TEXTS.users, CircleUser],
      ['groups', texts.groups.title, UsersRound],
      ['roles', TEXTS.roles, Users],
    ],
  ],
  [
    TEXTS.integrations,
    [
      ['webhooks', texts.webhooks.title, Webhook],
      ['keys', texts.keys.title, KeyRound],
      ['push', TEXTS.push, Bell],
    ],
  ],
  [
    TEXTS.monitor,
    [
      ['logs', texts.logs.title, Activity],
      ['audit', texts.audit.title, ScrollText],
      ['access', texts.access.title, ShieldCheck],
      ['health', TEXTS.health, HeartPulse],
    ],
  ],
];

const LINKS: readonly Link[] = [OVERVIEW, ...GROUPS.flatMap(([, links]) => links), SETTINGS];

const setLanguage = Object.entries(LANGUAGES).flatMap(([tag, text]) =>
  isLanguage(tag) ? [{ text, tag, act: () => chooseLanguage(tag) }] : [],
);

/** Commands that the palette offers in every view. */
export const commandsOf = (onSignOut: () => unknown) => [
  ...LINKS.map(([name, text]) => ({ text, act: () => go([name]) })),
  { text: texts.indexes.title, act: () => go(['indexes']) },
  { text: texts.users.create, act: () => go(['users'], { new: 'on' }) },
  { text: texts.collections.create, act: () => go(['collections'], { new: 'on' }) },
  ...setLanguage.filter(({ tag }) => tag !== language),
  ...THEMES.map((theme) => ({ text: TEXTS.themeOf(TEXTS.themes[theme]), act: () => chooseTheme(theme) })),
  { text: TEXTS.signOut, act: onSignOut },
];

interface SidebarProps {
  /** The open view. */
  readonly section: string;
  /** The open collection. */
  readonly collection: string | undefined;
  readonly onSearch: () => void;
  readonly onSignOut: () => Promise<void>;
}

function NavLink({ link: [name, text, Icon], isCurrent }: { readonly link: Link; readonly isCurrent: boolean }) {
  return (
    <a className="nav-link" href={hrefOf([name])} aria-current={isCurrent ? 'page' : undefined}>
      <Icon size={ICON_SIZE} aria-hidden={true} />
      <span className="name">{text}</span>
    </a>
  );
}

/** The collections with the numbers of their documents. */
function CollectionLinks({ current }: { readonly current: string | undefined }): ReactNode {
  const { collections } = useService().client.admin;
  const names = useLoad(['collections', 'names'], (signal) => collections.names({ signal }));
  // Loaded separately from the names, because the server reads documents for the sizes.
  const counted = useLoad(['collections', 'counts'], (signal) => collections.list({ signal }));
  const counts = new Map(counted.data?.map(({ name, records }) => [name, records]));
  const { data, reload } = names;
  const isNew = current !== undefined && data !== null && !data.includes(current);
  // A collection may have been created elsewhere.
  useEffect(() => {
    if (isNew) reload();
  }, [isNew, reload]);
  return (
    <ul className="nav-sub">
      {names.data?.slice(0, MOST_COLLECTIONS).map((name) => (
        <li key={name}>
          <a
            className="nav-link"
            href={hrefOf(['collections', name])}
            aria-current={name === current ? 'page' : undefined}
          >
            <span className="name">{name}</span>
            <span className="count" aria-hidden="true">
              {counts.has(name) && numberText(counts.get(name) ?? 0)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function AccountMenu({ onSignOut }: Pick<SidebarProps, 'onSignOut'>): ReactNode {
  const { session, url } = useService();
  const [theme, setTheme] = useState(storedTheme);
  const groups: readonly MenuGroup[] = [
    {
      title: TEXTS.theme,
      entries: THEMES.map((one) => ({
        text: TEXTS.themes[one],
        isChosen: one === theme,
        act: () => {
          chooseTheme(one);
          setTheme(one);
        },
      })),
    },
    { title: TEXTS.language, entries: setLanguage.map((one) => ({ ...one, isChosen: one.tag === language })) },
    {
      entries: [
        { text: TEXTS.docs, icon: BookOpen, act: () => open(new URL('guide/', url), '_blank', 'noopener') },
        { text: TEXTS.account, icon: ShieldCheck, act: () => go(['users', session.user.username]) },
        { text: TEXTS.signOut, icon: LogOut, act: onSignOut },
      ],
    },
  ];
  return (
    <Menu
      side="top"
      align="start"
      groups={groups}
      trigger={
        <button type="button" className="nav-link" aria-label={TEXTS.accountOf(session.user.username)}>
          <CircleUser size={ICON_SIZE} aria-hidden={true} />
          <span className="name">{session.user.username}</span>
        </button>
      }
    />
  );
}

/** Navigation between the views. */
export function Sidebar({ section, collection, onSearch, onSignOut }: SidebarProps): ReactNode {
  return (
    <nav className="sidebar" aria-label={TEXTS.navigation}>
      <div className="sidebar-head">
        <div className="brand">
          <img src={mark} alt="" /> Baobab
        </div>
        <button type="button" className="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={onSearch}>
          <Search size={ICON_SIZE} aria-hidden={true} />
          {texts.palette.open}{' '}
          <span className="kbd" aria-hidden="true">
            {texts.palette.keys}
          </span>
        </button>
      </div>
      <div className="sidebar-list">
        <NavLink link={OVERVIEW} isCurrent={section === OVERVIEW[0]} />
        {GROUPS.map(([title, links]) => (
          <div key={title}>
            <div className="nav-title">
              <span>{title}</span>
              {title === TEXTS.data && (
                <IconButton
                  icon={Plus}
                  label={texts.collections.create}
                  isSmall={true}
                  onClick={() => go(['collections'], { new: 'on' })}
                />
              )}
            </div>
            {links.map((link) => (
              <div key={link[0]}>
                <NavLink link={link} isCurrent={link[0] === section && collection === undefined} />
                {link === COLLECTIONS && <CollectionLinks current={collection} />}
              </div>
            ))}
          </div>
        ))}
      </div>
      <div className="sidebar-foot">
        <NavLink link={SETTINGS} isCurrent={section === SETTINGS[0]} />
        <AccountMenu onSignOut={onSignOut} />
      </div>
    </nav>
  );
}

interface NarrowSidebarProps extends SidebarProps {
  readonly onClose: () => void;
}

/** The sidebar of narrow windows. It closes when a view opens. */
export function NarrowSidebar({ onClose, ...props }: NarrowSidebarProps): ReactNode {
  return (
    <Base.Root open={true} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className="drawer left"
          aria-label={TEXTS.navigation}
          onClick={({ target }) => target instanceof Element && target.closest('a') !== null && onClose()}
        >
          <Sidebar
            {...props}
            onSearch={() => {
              onClose();
              props.onSearch();
            }}
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
