import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

type Kind = 'primary' | 'secondary' | 'ghost' | 'danger';

interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` is the one filled button of a page or dialog. */
  readonly kind?: Kind;
  readonly icon?: LucideIcon;
  readonly isSmall?: boolean;
}

export const ICON_SIZE = 16;

const classOf = (...names: readonly (string | false)[]) => names.filter((name) => name !== false).join(' ');

/** A button. Narrow top bars show only its icon. */
export function Button({
  kind = 'secondary',
  icon: Icon,
  isSmall = false,
  type = 'button',
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type={type}
      className={classOf('button', kind, isSmall && 'small', children === undefined && 'icon')}
      {...rest}
    >
      {Icon !== undefined && <Icon size={ICON_SIZE} aria-hidden={true} />}
      {children !== undefined && (Icon === undefined ? children : <span className="label">{children}</span>)}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children'> {
  readonly icon: LucideIcon;
  readonly label: string;
}

export function IconButton({ label, kind = 'ghost', ...rest }: IconButtonProps): ReactNode {
  return <Button kind={kind} aria-label={label} title={label} {...rest} />;
}

interface LinkButtonProps extends Pick<ButtonProps, 'kind' | 'icon'> {
  readonly href: string;
  readonly children: ReactNode;
}

/** A link with the looks of a button. */
export function LinkButton({ kind = 'secondary', icon: Icon, href, children }: LinkButtonProps): ReactNode {
  return (
    <a className={classOf('button', kind)} href={href}>
      {Icon !== undefined && <Icon size={ICON_SIZE} aria-hidden={true} />}
      <span className="label">{children}</span>
    </a>
  );
}
