// Kept for service managers and images that run this path. The program is now in @baobab/server.
const program = '@baobab/server/main';
await import(program);

export {};
