import { type ReactNode, useCallback } from 'react';
import { useService } from '../../parts/service.ts';
import { Loading, Table } from '../../parts/view.tsx';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';

const TEXTS = texts.settingDetails;

/** Environment variables of the server. */
export function Environment(): ReactNode {
  const { admin } = useService().client;
  const loaded = useLoad(useCallback((signal: AbortSignal) => admin.environment({ signal }), [admin]));
  return (
    <>
      <p className="dim">{TEXTS.environmentAbout}</p>
      <Loading loaded={loaded}>
        {(variables) => (
          <Table label={TEXTS.environment}>
            <thead>
              <tr>
                <th scope="col">{TEXTS.variable}</th>
                <th scope="col">{TEXTS.value}</th>
                <th scope="col">{TEXTS.source}</th>
                <th scope="col">{TEXTS.meaning}</th>
              </tr>
            </thead>
            <tbody>
              {variables.map(({ name, value, source, description }) => (
                <tr key={name}>
                  <th scope="row" className="id">
                    {name}
                  </th>
                  <td className="code">{value}</td>
                  <td>{source === 'default' ? TEXTS.unset : TEXTS.set}</td>
                  <td>{description}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Loading>
    </>
  );
}
