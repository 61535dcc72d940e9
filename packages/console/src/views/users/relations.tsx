import type { Profile, Query } from '@baobab/client';
import { type ReactNode, useState } from 'react';
import { hrefOf } from '../../address.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useFreshAction } from '../../parts/fresh.tsx';
import { Pager } from '../../parts/pager.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Section } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.userDetails;

/** Users that a user follows, and followers of the user. */
export function Relations({ username }: { readonly username: string }): ReactNode {
  const { client } = useService();
  const { users } = client.admin;
  /** Counts follows added here, to reload the list. */
  const [added, setAdded] = useState(0);
  return (
    <Section title={TEXTS.relations}>
      <Follow username={username} onAdded={() => setAdded(added + 1)} />
      <People
        key={added}
        title={TEXTS.following}
        none={TEXTS.noFollowing}
        name={`following ${username}`}
        query={() => client.following.following(username)}
        action={TEXTS.unfollow}
        labelOf={TEXTS.endFollowing}
        end={(followed) => users.unfollow({ follower: username, followed })}
      />
      <People
        title={TEXTS.followers}
        none={TEXTS.noFollowers}
        name={`followers ${username}`}
        query={() => client.following.followers(username)}
        action={texts.groups.remove}
        labelOf={TEXTS.endFollower}
        end={(follower) => users.unfollow({ follower, followed: username })}
      />
    </Section>
  );
}

interface FollowProps {
  readonly username: string;
  readonly onAdded: () => void;
}

function Follow({ username, onAdded }: FollowProps): ReactNode {
  const { users } = useService().client.admin;
  const [followed, setFollowed] = useState('');
  const { isBusy, error, field, run } = useFreshAction();
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await run((presence) => users.follow({ follower: username, followed }, presence)))) return;
        setFollowed('');
        onAdded();
      }}
    >
      <div className="row bottom">
        <Field label={TEXTS.followedName} value={followed} onChange={setFollowed} required={true} autoComplete="off" />
        <Button type="submit" disabled={isBusy}>
          {TEXTS.follow}
        </Button>
      </div>
      {field}
      <Failure error={error} />
    </form>
  );
}

interface PeopleProps {
  readonly title: string;
  readonly none: string;
  /** Identifies the list. */
  readonly name: string;
  readonly query: () => Query<Profile>;
  /** Text of the button of each user. */
  readonly action: string;
  readonly labelOf: (name: string) => string;
  readonly end: (name: string) => Promise<unknown>;
}

function People({ title, none, name: list, query, action, labelOf, end }: PeopleProps): ReactNode {
  const pages = usePages(['people', list], query);
  const { loaded } = pages;
  const { isBusy, error, run } = useAction(loaded.reload);
  return (
    <>
      <h3>{title}</h3>
      <Loading loaded={loaded}>
        {({ rows }) => (
          <>
            {rows.length === 0 && <p className="muted">{none}</p>}
            <ul className="people" aria-label={title}>
              {rows.map(({ id, user: { name } }) => (
                <li key={id}>
                  <a href={hrefOf(['users', name])}>{name}</a>
                  <RowAction label={labelOf(name)} isBusy={isBusy} act={() => run(() => end(name))}>
                    {action}
                  </RowAction>
                </li>
              ))}
            </ul>
            <Pager pages={pages} />
          </>
        )}
      </Loading>
      <Failure error={error} />
    </>
  );
}
