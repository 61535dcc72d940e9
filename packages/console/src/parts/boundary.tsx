import { RotateCw } from 'lucide-react';
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { messageOf } from './failure.tsx';
import { useIsReachable, useService } from './service.ts';
import { EmptyState, Skeleton, View } from './view.tsx';

interface BoundaryProps {
  readonly children: ReactNode;
  readonly fallback: (error: unknown) => ReactNode;
}

/** Shows `fallback` in place of a part that failed. */
class Boundary extends Component<BoundaryProps, { readonly failed: { readonly error: unknown } | null }> {
  override state = { failed: null };

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } };
  }

  override render(): ReactNode {
    const { failed } = this.state as { readonly failed: { readonly error: unknown } | null };
    return failed === null ? this.props.children : this.props.fallback(failed.error);
  }
}

/** A chunk of an older build no longer exists after an upgrade, and only a new page knows the new names. */
const isOfChunk = (error: unknown) => error instanceof TypeError && /import|module/i.test(error.message);

interface FailedViewProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Says that the view failed. It is tried again on request, and when the server answers again. */
function FailedView({ error, onRetry }: FailedViewProps): ReactNode {
  const isReachable = useIsReachable();
  const wasReachable = useRef(isReachable);
  useEffect(() => {
    if (isReachable && !wasReachable.current) onRetry();
    wasReachable.current = isReachable;
  }, [isReachable, onRetry]);
  const text = isOfChunk(error) ? texts.failure.notLoaded : (messageOf(error) ?? texts.failure.unknown);
  return (
    <View title={texts.failure.title}>
      <div role="alert">
        <EmptyState title={texts.failure.title} about={text}>
          <Button kind="primary" icon={RotateCw} onClick={onRetry}>
            {texts.retry}
          </Button>
        </EmptyState>
      </div>
    </View>
  );
}

const Opening = (): ReactNode => (
  <>
    <header className="top-bar" />
    <div className="page">
      <Skeleton />
    </div>
  </>
);

type Load<P> = () => Promise<ComponentType<P>>;

/** Returns a view whose code is loaded when it is opened. If that fails, it says so and can be tried again. */
export function lazyView<P extends object>(load: Load<P>): ComponentType<P> {
  const open = () => lazy(async () => ({ default: await load() }));
  let current = open();

  return function LazyView(props: P): ReactNode {
    const { reachability } = useService();
    const [attempt, setAttempt] = useState(0);
    const Shown = current as ComponentType<P>;

    async function retry(error: unknown): Promise<void> {
      const isLoadable = await load().then(
        () => true,
        () => false,
      );
      if (isLoadable || !isOfChunk(error)) {
        current = open();
        setAttempt((before) => before + 1);
      } else if (reachability.isReachable()) location.reload();
    }

    return (
      <Boundary key={attempt} fallback={(error) => <FailedView error={error} onRetry={() => void retry(error)} />}>
        <Suspense fallback={<Opening />}>
          <Shown {...props} />
        </Suspense>
      </Boundary>
    );
  };
}
