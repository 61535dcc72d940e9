// A later program that migrates the database in its argument. Tests kill it.
import { LATER, migrateLater, SLOW } from './migrations.ts';

await migrateLater(process.argv[2] ?? '', { more: [...LATER, SLOW] });
