import { launch } from './launch.ts';

const [argument] = process.argv.slice(2);
if (argument !== undefined && argument !== '--watch') {
  process.stderr.write(`baobab: "${argument}": this program only starts the server. For commands, run "npx baobab".\n`);
  process.exit(2);
}
await launch('program');
