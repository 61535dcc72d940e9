import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { STORAGES } from './support/databases.ts';
import { readDocument } from './support/markdown.ts';
import { startProgram } from './support/program.ts';

const ROOT = new URL('..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly title: string;
  readonly targets: ReadonlyArray<{ readonly expr: string }>;
}

const rules: readonly Rule[] = parse(read('docker/prometheus/alerts.yml')).groups.flatMap(
  ({ rules: own }: { rules: Rule[] }) => own,
);
const dashboard = JSON.parse(read('docker/grafana/baobab.json'));
const panels: readonly Panel[] = dashboard.panels;

/** Labels that Prometheus adds to everything that it scrapes. */
const ADDED = ['job', 'instance'];
const WORDS = new Set(['by', 'and', 'or', 'unless', 'on', 'ignoring', 'bool']);

/** The labels of each metric of a scrape. */
function metricsIn(scraped: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>([['up', new Set()]]);
  for (const [, name = '', labels = ''] of scraped.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? [^ ]+$/gim)) {
    const known = metrics.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/([a-z_]\w*)="/gi)) known.add(label);
    metrics.set(name, known);
  }
  return metrics;
}

/** The metrics that an expression names, with the labels that it uses of each. */
function usesOf(expr: string): Array<{ readonly name: string; readonly labels: readonly string[] }> {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const bare = expr.replace(/\bby \([^)]*\)/g, ' ').replace(/\[[^\]]*\]/g, '');
  const selectors = bare.replace(/"[^"]*"/g, '""').matchAll(/\b([a-z_]\w*)(\{[^}]*\})?(?!\w|\s*\()/gi);
  return [...selectors].flatMap(([, name = '', own = '']) => {
    if (WORDS.has(name) || /^\d/.test(name)) return [];
    return [
      { name, labels: [...[...own.matchAll(/([a-z_]\w*)(?:=|!)/gi)].map(([, label = '']) => label), ...grouped] },
    ];
  });
}

describe('alerts and dashboard', () => {
  const metrics = new Map<string, Set<string>>();

  beforeAll(async () => {
    for (const [name, open] of Object.entries(STORAGES)) {
      if (name === 'memory') continue;
      const storage = await open();
      const program = startProgram({ DATABASE_URL: storage.url, BLOB_URL: 'memory:', METRICS_PORT: '0' });
      try {
        const address = await program.ready();
        const { address: scrapes } = JSON.parse(await program.line('"msg":"metrics listening"')) as { address: string };
        await fetch(`${address}/health/ready`);
        const scraped = await (await fetch(`${scrapes}/metrics`)).text();
        for (const [name, labels] of metricsIn(scraped)) {
          metrics.set(name, new Set([...(metrics.get(name) ?? []), ...labels]));
        }
      } finally {
        await program.dispose();
        await storage.dispose();
      }
    }
  });
  afterAll(() => metrics.clear());

  /** Names in an expression that the server does not have. */
  function unknownIn(expr: string): string[] {
    const uses = usesOf(expr);
    if (uses.length === 0) return [`no metric in ${expr}`];
    return uses.flatMap(({ name, labels }) => {
      const known = metrics.get(name);
      if (known === undefined) return [name];
      return labels.filter((label) => !known.has(label) && !ADDED.includes(label)).map((label) => `${name}{${label}}`);
    });
  }

  it('are checked by a test that finds unknown metrics and labels', () => {
    expect(unknownIn('rate(no_such_metric[5m]) > 1')).toEqual(['no_such_metric']);
    expect(unknownIn('baobab_database_waiting{colour="red"} > 1')).toEqual(['baobab_database_waiting{colour}']);
    expect(unknownIn('sum by (shape) (nodejs_eventloop_lag_p99_seconds)')).toEqual([
      'nodejs_eventloop_lag_p99_seconds{shape}',
    ]);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s uses metrics that exist', (_alert, rule) => {
    expect(unknownIn(rule.expr)).toEqual([]);
    expect(['critical', 'warning']).toContain(rule.labels.severity);
    expect(rule.annotations.summary).not.toBe('');
  });

  it.each(panels.map((panel) => [panel.title, panel] as const))(
    'the panel "%s" uses metrics that exist',
    (_title, { targets }) => {
      expect(targets.length).toBeGreaterThan(0);
      for (const { expr } of targets) expect(unknownIn(expr)).toEqual([]);
    },
  );

  it('name routes that exist', () => {
    const { paths } = JSON.parse(read('docs/openapi.json'));
    const named = rules.flatMap(({ expr }) => [...expr.matchAll(/route="([^"]*)"/g)].map(([, route = '']) => route));
    expect(named.length).toBeGreaterThan(0);
    for (const route of named) expect(Object.keys(paths)).toContain(route);
  });

  it('are explained, each alert with what to do', () => {
    const text = readDocument('docs/monitoring.md');
    const explained = [...text.matchAll(/^\| `(Baobab\w+)` \|[^|]+\|[^|]+\|$/gm)].map(([, alert = '']) => alert);
    expect(explained.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it('use unique ids', () => {
    expect(new Set(dashboard.panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});
