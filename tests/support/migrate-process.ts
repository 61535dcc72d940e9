// A later program that migrates the database of its argument: tests kill it.
import { migrateLater } from './migrations.ts';

await migrateLater(process.argv[2] ?? '');
