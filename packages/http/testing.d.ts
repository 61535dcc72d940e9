// Kept for programs that import it from here; it moved to @baobab/server/testing.
export * from '@baobab/server/testing';
