export { PostgresUrlError, parsePostgresUrl, placeOf, withPostgresVariables } from '@baobab/adapters/postgres-url';
