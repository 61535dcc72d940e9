import type { ReactNode } from 'react';
import { Snippet } from '../../../parts/code-dialog.tsx';
import { useService } from '../../../parts/service.ts';
import { Section } from '../../../parts/view.tsx';
import { texts } from '../../../texts.ts';
import { clientCodeOf } from '../../../values/client-code.ts';
import { curlOf } from '../../../values/curl.ts';

const TEXTS = texts.collections.api;

/** Calls that apps need, for this collection. */
export function ApiExamples({ collection }: { readonly collection: string }): ReactNode {
  const { session, url, appCode } = useService();
  const path = `/document/${encodeURIComponent(collection)}`;
  const examples = [
    { title: TEXTS.list, request: { method: 'GET', path: `${path}?recordsPerPage=50`, body: null } },
    { title: TEXTS.create, request: { method: 'POST', path, body: JSON.stringify({ title: TEXTS.sample }) } },
    { title: TEXTS.get, request: { method: 'GET', path: `${path}/ID`, body: null } },
    { title: TEXTS.remove, request: { method: 'DELETE', path: `${path}/ID`, body: null } },
  ] as const;
  return (
    <div className="stack loose">
      {examples.map(({ title, request }) => (
        <Section key={title} title={title}>
          <Snippet
            label={texts.code.client}
            about={texts.code.clientAbout}
            text={clientCodeOf(request, { url, appCode, username: session.user.username })}
          />
          <Snippet label={texts.code.curl} about={texts.code.curlAbout} text={curlOf(request, { url, appCode })} />
        </Section>
      ))}
    </div>
  );
}
