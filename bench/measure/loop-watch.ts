// Loaded into a server before its program: answers on `WATCH_PORT` how much processor time its event loop spent in one
// turn at most, and the process in total, since the previous question.
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const sumOf = ({ user, system }: NodeJS.CpuUsage) => user + system;

if (isMainThread && process.env.WATCH_PORT !== undefined) {
  let longest = 0;
  let last = sumOf(process.threadCpuUsage());
  let used = process.cpuUsage();
  // Processor time excludes other programs on the machine.
  setInterval(() => {
    const now = sumOf(process.threadCpuUsage());
    longest = Math.max(longest, now - last);
    last = now;
  }, 1).unref();
  createServer((_request, response) => {
    response.end(JSON.stringify({ blockedMs: longest / 1e3, cpuMs: sumOf(process.cpuUsage(used)) / 1e3 }));
    longest = 0;
    used = process.cpuUsage();
  })
    .listen(Number(process.env.WATCH_PORT), '127.0.0.1')
    .unref();
}
