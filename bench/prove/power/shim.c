/*
 * Simulates a disk that loses unsynced data. Preloaded into the server (LD_PRELOAD), it records every change to files
 * and folders below POWER_ROOT in a journal: the bytes that a write replaced and wrote, and every sync. After the
 * process is killed, cut.ts reverts the unsynced changes, like a power cut. The syncs themselves are not executed.
 *
 * POWER_JOURNAL is the journal, POWER_TRASH a folder on the same file system that keeps deleted files.
 * POWER_SYNC_US is the duration of a sync, in microseconds.
 * POWER_LIE=on omits syncs from the journal, like a disk that acknowledges them too early.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE, SYNC, CREATE, RENAME, UNLINK, MKDIR, RMDIR };
enum { MAX_FDS = 65536 };

/* Followed by `length1` and then `length2` bytes. cut.ts reads it. */
struct record {
  uint64_t type, inode, a, b, folder1, folder2, length1, length2;
};

static const char *root, *trash;
static size_t root_length;
static int journal = -1, lies, sync_us;
static uint64_t records, removed;
static unsigned char tracked[MAX_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name, result, ...) static result (*real_##name)(__VA_ARGS__)
REAL(open, int, const char *, int, ...);
REAL(close, int, int);
REAL(pwrite, ssize_t, int, const void *, size_t, off_t);
REAL(write, ssize_t, int, const void *, size_t);
REAL(writev, ssize_t, int, const struct iovec *, int);
REAL(ftruncate, int, int, off_t);
REAL(fsync, int, int);
REAL(fdatasync, int, int);
REAL(rename, int, const char *, const char *);
REAL(unlink, int, const char *);
REAL(mkdir, int, const char *, mode_t);
REAL(rmdir, int, const char *);

__attribute__((constructor)) static void begin(void) {
  real_open = dlsym(RTLD_NEXT, "open");
  real_close = dlsym(RTLD_NEXT, "close");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_mkdir = dlsym(RTLD_NEXT, "mkdir");
  real_rmdir = dlsym(RTLD_NEXT, "rmdir");
  root = getenv("POWER_ROOT");
  trash = getenv("POWER_TRASH");
  const char *path = getenv("POWER_JOURNAL");
  if (root == NULL || trash == NULL || path == NULL) return;
  root_length = strlen(root);
  lies = getenv("POWER_LIE") != NULL;
  const char *us = getenv("POWER_SYNC_US");
  sync_us = us == NULL ? 0 : atoi(us);
  journal = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void die(const char *what) {
  dprintf(2, "power shim: %s failed: %s\n", what, strerror(errno));
  abort();
}

/* The memory that SQLite shares between connections does not survive a power cut. */
static int is_ours(const char *path) {
  if (journal < 0 || path == NULL || strncmp(path, root, root_length) != 0) return 0;
  if (path[root_length] != '/' && path[root_length] != '\0') return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

/* Call with the lock held. */
static void append(struct record head, const void *first, const void *second) {
  struct iovec parts[] = {{&head, sizeof head}, {(void *)first, head.length1}, {(void *)second, head.length2}};
  ssize_t whole = sizeof head + head.length1 + head.length2;
  if (real_writev(journal, parts, 3) != whole) die("writing the journal");
  records++;
}

static uint64_t inode_of(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 ? found.st_ino : 0;
}

static uint64_t folder_of(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash != NULL) *slash = '\0';
  return inode_of(folder);
}

/*
 * Call with the lock held. Reads through the descriptor itself if possible: closing another descriptor of a database
 * would release its locks.
 */
static void *read_part(int fd, off_t from, size_t length) {
  char *bytes = malloc(length + 1);
  if (bytes == NULL) die("malloc");
  if (length == 0) return bytes;
  int own = -1;
  if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    own = real_open(path, O_RDONLY | O_CLOEXEC);
    if (own < 0) die("opening for reading");
  }
  for (size_t done = 0; done < length;) {
    ssize_t n = pread(own < 0 ? fd : own, bytes + done, length - done, from + done);
    if (n <= 0) die("reading what is replaced");
    done += n;
  }
  if (own >= 0) real_close(own);
  return bytes;
}

/* Returns the regular file of a tracked descriptor. */
static int file_behind(int fd, struct stat *found) {
  return fd >= 0 && fd < MAX_FDS && tracked[fd] && fstat(fd, found) == 0 && S_ISREG(found->st_mode);
}

static void note_write(int fd, const struct stat *file, const void *bytes, size_t length, off_t at) {
  size_t replaced = at >= file->st_size ? 0 : file->st_size - at < (off_t)length ? (size_t)(file->st_size - at) : length;
  void *old = read_part(fd, at, replaced);
  append((struct record){WRITE, file->st_ino, at, file->st_size, 0, 0, replaced, length}, old, bytes);
  free(old);
}

static void note_truncation(int fd, const struct stat *file, off_t size) {
  size_t lost = size < file->st_size ? file->st_size - size : 0;
  void *old = read_part(fd, size, lost);
  append((struct record){TRUNCATE, file->st_ino, size, file->st_size, 0, 0, lost, 0}, old, NULL);
  free(old);
}

static void note_path(int type, const char *path, const char *other, uint64_t inode) {
  uint64_t second = type == RENAME ? folder_of(other) : 0;
  size_t length = other == NULL ? 0 : strlen(other);
  append((struct record){type, inode, 0, 0, folder_of(path), second, strlen(path), length}, path, other);
}

/* Keeps a file that loses its name. */
static void note_removal(const char *path) {
  uint64_t inode = inode_of(path);
  if (inode == 0) return;
  char kept[PATH_MAX];
  snprintf(kept, sizeof kept, "%s/%lu", trash, (unsigned long)removed++);
  if (link(path, kept) != 0) return; /* a folder */
  note_path(UNLINK, path, kept, inode);
}

static int open_tracked(const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&lock);
  struct stat before;
  int is_new = (flags & O_CREAT) && lstat(path, &before) != 0;
  int fd = real_open(path, flags & ~O_TRUNC, mode);
  if (fd >= 0 && fd < MAX_FDS) {
    tracked[fd] = 1;
    struct stat file;
    if (is_new) note_path(CREATE, path, NULL, inode_of(path));
    else if ((flags & O_TRUNC) && file_behind(fd, &file)) {
      note_truncation(fd, &file, 0);
      real_ftruncate(fd, 0);
    }
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

static int open_any(const char *path, int flags, va_list rest) {
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  return is_ours(path) ? open_tracked(path, flags, mode) : real_open(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int fd = open_any(path, flags, rest);
  va_end(rest);
  return fd;
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int fd = open_any(path, flags | O_LARGEFILE, rest);
  va_end(rest);
  return fd;
}

int close(int fd) {
  if (fd >= 0 && fd < MAX_FDS) tracked[fd] = 0;
  return real_close(fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) {
  struct stat file;
  if (!file_behind(fd, &file)) return real_pwrite(fd, bytes, length, at);
  pthread_mutex_lock(&lock);
  fstat(fd, &file);
  note_write(fd, &file, bytes, length, at);
  ssize_t result = real_pwrite(fd, bytes, length, at);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

ssize_t write(int fd, const void *bytes, size_t length) {
  struct stat file;
  if (!file_behind(fd, &file)) return real_write(fd, bytes, length);
  pthread_mutex_lock(&lock);
  fstat(fd, &file);
  off_t at = fcntl(fd, F_GETFL) & O_APPEND ? file.st_size : lseek(fd, 0, SEEK_CUR);
  note_write(fd, &file, bytes, length, at);
  ssize_t result = real_write(fd, bytes, length);
  pthread_mutex_unlock(&lock);
  return result;
}

/* A write may be shorter than requested; callers continue with the rest. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  struct stat file;
  if (!file_behind(fd, &file)) return real_writev(fd, parts, count);
  return count == 0 ? 0 : write(fd, parts[0].iov_base, parts[0].iov_len);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  return count == 0 ? 0 : pwrite64(fd, parts[0].iov_base, parts[0].iov_len, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

int ftruncate64(int fd, off_t size) {
  struct stat file;
  if (!file_behind(fd, &file)) return real_ftruncate(fd, size);
  pthread_mutex_lock(&lock);
  fstat(fd, &file);
  note_truncation(fd, &file, size);
  int result = real_ftruncate(fd, size);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* Covers all records of this file or folder from before the start of the sync. */
static void note_sync(uint64_t inode) {
  pthread_mutex_lock(&lock);
  uint64_t covered = records;
  pthread_mutex_unlock(&lock);
  usleep(sync_us);
  pthread_mutex_lock(&lock);
  if (!lies) append((struct record){SYNC, inode, covered, 0, 0, 0, 0, 0}, NULL, NULL);
  pthread_mutex_unlock(&lock);
}

static int sync_any(int fd, int (*real)(int)) {
  struct stat found;
  if (fd < 0 || fd >= MAX_FDS || !tracked[fd] || fstat(fd, &found) != 0) return real(fd);
  note_sync(found.st_ino);
  return 0;
}

int fsync(int fd) { return sync_any(fd, real_fsync); }

int fdatasync(int fd) { return sync_any(fd, real_fdatasync); }

int rename(const char *from, const char *to) {
  if (!is_ours(from) || !is_ours(to)) return real_rename(from, to);
  pthread_mutex_lock(&lock);
  note_removal(to);
  note_path(RENAME, from, to, inode_of(from));
  int result = real_rename(from, to);
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *path) {
  if (!is_ours(path)) return real_unlink(path);
  pthread_mutex_lock(&lock);
  note_removal(path);
  int result = real_unlink(path);
  pthread_mutex_unlock(&lock);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  if (!is_ours(path)) return real_mkdir(path, mode);
  pthread_mutex_lock(&lock);
  int result = real_mkdir(path, mode);
  if (result == 0) note_path(MKDIR, path, NULL, inode_of(path));
  pthread_mutex_unlock(&lock);
  return result;
}

int rmdir(const char *path) {
  if (!is_ours(path)) return real_rmdir(path);
  pthread_mutex_lock(&lock);
  uint64_t inode = inode_of(path);
  int result = real_rmdir(path);
  if (result == 0) note_path(RMDIR, path, NULL, inode);
  pthread_mutex_unlock(&lock);
  return result;
}

int remove(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return -1;
  return S_ISDIR(found.st_mode) ? rmdir(path) : unlink(path);
}
