import type { Profile, Query } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useAction } from '../../use-load.ts';

const TEXTS = texts.userDetails;

/** Users that a user follows, and followers of the user. */
export function Relations({ username }: { readonly username: string }): ReactNode {
  const { client } = useService();
  const { users } = client.admin;
  /** Counts follows added here, to reload the list. */
  const [added, setAdded] = useState(0);
  const following = useCallback(() => client.following.following(username), [client, username]);
  const followers = useCallback(() => client.following.followers(username), [client, username]);
  return (
    <section className="card" aria-label={TEXTS.relations}>
      <h2>{TEXTS.relations}</h2>
      <Follow username={username} onAdded={() => setAdded(added + 1)} />
      <People
        key={added}
        title={TEXTS.following}
        none={TEXTS.noFollowing}
        query={following}
        labelOf={TEXTS.endFollowing}
        end={(followed) => users.unfollow({ follower: username, followed })}
      />
      <People
        title={TEXTS.followers}
        none={TEXTS.noFollowers}
        query={followers}
        labelOf={TEXTS.endFollower}
        end={(follower) => users.unfollow({ follower, followed: username })}
      />
    </section>
  );
}

interface FollowProps {
  readonly username: string;
  readonly onAdded: () => void;
}

function Follow({ username, onAdded }: FollowProps): ReactNode {
  const { users } = useService().client.admin;
  const [followed, setFollowed] = useState('');
  const { isBusy, error, run } = useAction();
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await run(() => users.follow({ follower: username, followed })))) return;
        setFollowed('');
        onAdded();
      }}
    >
      <div className="row">
        <Field label={TEXTS.followedName} value={followed} onChange={setFollowed} required={true} autoComplete="off" />
        <button type="submit" disabled={isBusy}>
          {TEXTS.follow}
        </button>
      </div>
      <Failure error={error} />
    </form>
  );
}

interface PeopleProps {
  readonly title: string;
  readonly none: string;
  readonly query: () => Query<Profile>;
  readonly labelOf: (name: string) => string;
  readonly end: (name: string) => Promise<unknown>;
}

function People({ title, none, query, labelOf, end }: PeopleProps): ReactNode {
  const { loaded, page, toNext, toFirst } = usePages(query);
  const { isBusy, error, run } = useAction();
  return (
    <>
      <h3>{title}</h3>
      <Loading loaded={loaded}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 && <p>{none}</p>}
            <ul className="people" aria-label={title}>
              {rows.map(({ id, user: { name } }) => (
                <li key={id}>
                  <a href={hrefOf(['users', name])}>{name}</a>{' '}
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-label={labelOf(name)}
                    onClick={async () => {
                      if (await run(() => end(name))) loaded.reload();
                    }}
                  >
                    {TEXTS.unfollow}
                  </button>
                </li>
              ))}
            </ul>
            <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
          </>
        )}
      </Loading>
      <Failure error={error} />
    </>
  );
}
