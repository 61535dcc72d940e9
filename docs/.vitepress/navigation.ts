/** The pages of the site in the order of its navigation, as paths from the root of the project. */
export interface Group {
  readonly text: string;
  /** A path that ends with `/*` stands for all pages of a folder that no other entry names. */
  readonly pages: readonly string[];
}

const docs = (...names: readonly string[]) => names.map((name) => `docs/${name}`);

export const NAVIGATION: readonly Group[] = [
  {
    text: 'Start',
    pages: docs(
      'README.md',
      'start-javascript.md',
      'start-react.md',
      'start-nextjs.md',
      'start-sveltekit.md',
      'start-vue.md',
      'start-expo.md',
      'start-kotlin.md',
      'start-swift.md',
      'start-flutter.md',
      'start-http.md',
      'tutorial.md',
      'tutorial-shopping-lists.md',
      'tutorial-task-board.md',
      'examples.md',
      'recipes/*',
    ),
  },
  {
    text: 'Build',
    pages: docs(
      'client.md',
      'client-data.md',
      'client-offline.md',
      'data-modelling.md',
      'users.md',
      'secure-accounts.md',
      'social.md',
      'followers.md',
      'documents.md',
      'batches.md',
      'references.md',
      'query-language.md',
      'search.md',
      'permissions.md',
      'access.md',
      'groups-and-invitations.md',
      'live.md',
      'files.md',
      'assets.md',
      'push.md',
      'webhooks.md',
      'extensions.md',
      'testing.md',
      'clients.md',
    ),
  },
  { text: 'Console', pages: docs('console.md') },
  {
    text: 'Deploy',
    pages: docs(
      'deploy-vps.md',
      'deploy.md',
      'deploy-proxy.md',
      'deploy-docker.md',
      'deploy-fly.md',
      'deploy-render.md',
      'deploy-postgres.md',
      'citus.md',
      'sizing.md',
    ),
  },
  {
    text: 'Operate',
    pages: docs(
      'go-live.md',
      'operations.md',
      'scheduled-backups.md',
      'monitoring.md',
      'upgrading.md',
      'secure-service.md',
      'troubleshooting.md',
    ),
  },
  {
    text: 'Reference',
    pages: docs(
      'api.md',
      'api-users.md',
      'api-documents.md',
      'api-collections.md',
      'api-files.md',
      'api-messages.md',
      'api-admin.md',
      'errors.md',
      'decisions.md',
      'cli.md',
      'configuration.md',
      'settings.md',
      'limits.md',
      'glossary.md',
    ),
  },
  { text: 'Migrate', pages: docs('coming-from/*') },
  {
    text: 'About',
    pages: [
      ...docs(
        'comparison.md',
        'client-comparison.md',
        'faq.md',
        'guarantees.md',
        'versioning.md',
        'roadmap.md',
        'security.md',
        'proof/*',
      ),
      'bench/README.md',
      'CHANGELOG.md',
      'SECURITY.md',
    ],
  },
  {
    text: 'Contribute',
    pages: [
      'CONTRIBUTING.md',
      'CODE_OF_CONDUCT.md',
      ...docs('contributing/words.md', 'architecture.md', 'writing-an-adapter.md', 'adr/README.md'),
    ],
  },
];
