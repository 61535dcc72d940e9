// Kept for service managers and images that start this path. The program moved to @baobab/server.
const program = '@baobab/server/cli';
await import(program);

export {};
