/* Records, in their order, what a process does to the files of one folder: writes, truncations, syncs, names that come and
 * go, and what it says on standard output. Loaded before the C library (LD_PRELOAD) by the test of power cuts, which then
 * makes the states that a disk could be left in at every moment.
 *
 * A record: one letter for what was done, the length of the path (4 bytes), an offset and a length (8 bytes each), then the
 * path and the bytes that were written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 4096
static char *paths[FILES];
static int out = -2;
static const char *folder;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void begin(void) {
    if (out != -2) return;
    folder = getenv("RECORD_FOLDER");
    const char *to = getenv("RECORD_TO");
    out = folder && to ? (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
}

static void record(char what, const char *path, uint64_t offset, uint64_t length, const void *bytes) {
    char head[21];
    uint32_t path_length = strlen(path);
    uint64_t held = bytes ? length : 0;
    head[0] = what;
    memcpy(head + 1, &path_length, 4);
    memcpy(head + 5, &offset, 8);
    memcpy(head + 13, &length, 8);
    struct iovec parts[3] = {{head, 21}, {(void *)path, path_length}, {(void *)bytes, held}};
    if (syscall(SYS_writev, out, parts, 3) != (long)(21 + path_length + held)) abort();
}

static int is_ours(const char *path) {
    size_t length = path ? strlen(path) : 0;
    /* The index of the log is shared memory: it is made anew after a crash. */
    if (length > 4 && !strcmp(path + length - 4, "-shm")) return 0;
    return out >= 0 && path && !strncmp(path, folder, strlen(folder));
}

static const char *path_of(int file) {
    return file >= 0 && file < FILES ? paths[file] : 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(int file, const char *path, int flags, int was_there) {
    if (file < 0 || file >= FILES) return file;
    pthread_mutex_lock(&lock);
    free(paths[file]);
    paths[file] = is_ours(path) ? strdup(path) : 0;
    if (paths[file] && (flags & O_CREAT) && !was_there) record('C', path, 0, 0, 0);
    if (paths[file] && (flags & O_TRUNC) && was_there) record('T', path, 0, 0, 0);
    pthread_mutex_unlock(&lock);
    return file;
}

#define OPEN(name)                                                                      \
    int name(const char *path, int flags, ...) {                                        \
        va_list rest;                                                                   \
        va_start(rest, flags);                                                          \
        int mode = va_arg(rest, int);                                                   \
        va_end(rest);                                                                   \
        begin();                                                                        \
        int was_there = !access(path, F_OK);                                            \
        return opened(REAL(name)(path, flags, mode), path, flags, was_there);           \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    begin();
    pthread_mutex_lock(&lock);
    if (path_of(file)) {
        free(paths[file]);
        paths[file] = 0;
    }
    pthread_mutex_unlock(&lock);
    return REAL(close)(file);
}

ssize_t write(int file, const void *bytes, size_t length) {
    begin();
    pthread_mutex_lock(&lock);
    const char *path = path_of(file);
    off_t offset = path ? lseek(file, 0, SEEK_CUR) : 0;
    ssize_t written = REAL(write)(file, bytes, length);
    if (written > 0 && path) record('W', path, offset, written, bytes);
    if (written > 0 && file == 1 && out >= 0) record('A', "", 0, written, bytes);
    pthread_mutex_unlock(&lock);
    return written;
}

#define PWRITE(name, offset_type)                                                       \
    ssize_t name(int file, const void *bytes, size_t length, offset_type offset) {      \
        begin();                                                                        \
        pthread_mutex_lock(&lock);                                                      \
        const char *path = path_of(file);                                               \
        ssize_t written = REAL(name)(file, bytes, length, offset);                      \
        if (written > 0 && path) record('W', path, offset, written, bytes);             \
        pthread_mutex_unlock(&lock);                                                    \
        return written;                                                                 \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_type)                                                     \
    int name(int file, offset_type length) {                                            \
        begin();                                                                        \
        pthread_mutex_lock(&lock);                                                      \
        const char *path = path_of(file);                                               \
        int done = REAL(name)(file, length);                                            \
        if (!done && path) record('T', path, length, 0, 0);                             \
        pthread_mutex_unlock(&lock);                                                    \
        return done;                                                                    \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                                      \
    int name(int file) {                                                                \
        begin();                                                                        \
        pthread_mutex_lock(&lock);                                                      \
        const char *path = path_of(file);                                               \
        int done = REAL(name)(file);                                                    \
        if (!done && path) record('S', path, 0, 0, 0);                                  \
        pthread_mutex_unlock(&lock);                                                    \
        return done;                                                                    \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    begin();
    pthread_mutex_lock(&lock);
    int done = REAL(unlink)(path);
    if (!done && is_ours(path)) record('U', path, 0, 0, 0);
    pthread_mutex_unlock(&lock);
    return done;
}
