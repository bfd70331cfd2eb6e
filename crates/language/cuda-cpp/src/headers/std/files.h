// <fcntl.h>, <sys/stat.h>, <sys/mman.h>, <dirent.h> and <sys/times.h>: files by number, folders, and mapped memory.
extern "C" {
int __lw_unlink(const char *name, int *error);
int __lw_make_folder(const char *name, int *error);
int __lw_remove_folder(const char *name, int *error);
int __lw_enter_folder(const char *name, int *error);
char *__lw_current_folder();
int __lw_status(const char *name, long *status, int *error);
char *__lw_names(const char *name, int *error);
}
typedef long off_t;
typedef unsigned mode_t;
typedef unsigned long ino_t;
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_SYNC 04010000
#define O_DIRECT 040000
#define O_CLOEXEC 02000000
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
#define S_IRWXU 0700
#define S_IRGRP 040
#define S_IWGRP 020
#define S_IXGRP 010
#define S_IRWXG 070
#define S_IROTH 04
#define S_IWOTH 02
#define S_IXOTH 01
#define S_IRWXO 07
#define S_IFMT 0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000
#define S_ISDIR(mode) (((mode) & S_IFMT) == S_IFDIR)
#define S_ISREG(mode) (((mode) & S_IFMT) == S_IFREG)
// The open files and folders by number, from 3 on.
struct __lw_descriptor { FILE *file; char *name; };
#define __LW_DESCRIPTORS 1024
inline __lw_descriptor __lw_descriptors[__LW_DESCRIPTORS];
inline int __lw_add_descriptor(FILE *file, const char *name) {
    for (int fd = 3; fd < __LW_DESCRIPTORS; fd++) {
        if (__lw_descriptors[fd].name) continue;
        __lw_descriptors[fd].file = file;
        __lw_descriptors[fd].name = strdup(name);
        return fd;
    }
    errno = 24;
    return -1;
}
inline FILE *__lw_file_of(int fd) {
    if (fd == 0) return stdin;
    if (fd == 1) return stdout;
    if (fd == 2) return stderr;
    FILE *file = fd > 0 && fd < __LW_DESCRIPTORS ? __lw_descriptors[fd].file : nullptr;
    if (!file) errno = EBADF;
    return file;
}
inline FILE *fdopen(int fd, const char *) { return __lw_file_of(fd); }
inline int open(const char *name, int flags, ...) {
    long status[3];
    bool exists = __lw_status(name, status, &errno) == 0;
    if (!exists && !(flags & O_CREAT)) return -1;
    if (exists && (flags & O_CREAT) && (flags & O_EXCL)) { errno = EEXIST; return -1; }
    if (exists && status[0] == 2) return __lw_add_descriptor(nullptr, name);
    if (!exists) {
        FILE *made = fopen(name, "wb");
        if (!made) return -1;
        fclose(made);
    }
    const char *mode = "rb";
    if (flags & O_TRUNC) mode = (flags & O_RDWR) ? "wb+" : "wb";
    else if (flags & O_APPEND) mode = (flags & O_RDWR) ? "ab+" : "ab";
    else if (flags & (O_WRONLY | O_RDWR)) mode = "rb+";
    FILE *file = fopen(name, mode);
    return file ? __lw_add_descriptor(file, name) : -1;
}
inline int creat(const char *name, mode_t) { return open(name, O_CREAT | O_WRONLY | O_TRUNC); }
inline int close(int fd) {
    if (fd < 0 || fd >= __LW_DESCRIPTORS || (fd > 2 && !__lw_descriptors[fd].name)) { errno = EBADF; return -1; }
    if (fd < 3) return 0;
    if (__lw_descriptors[fd].file) fclose(__lw_descriptors[fd].file);
    free(__lw_descriptors[fd].name);
    __lw_descriptors[fd].file = nullptr;
    __lw_descriptors[fd].name = nullptr;
    return 0;
}
inline ssize_t read(int fd, void *to, size_t count) {
    FILE *file = __lw_file_of(fd);
    return file ? (ssize_t)fread(to, 1, count, file) : -1;
}
inline ssize_t write(int fd, const void *from, size_t count) {
    FILE *file = __lw_file_of(fd);
    return file && (count == 0 || __lw_write(file, from, count)) ? (ssize_t)count : -1;
}
inline off_t lseek(int fd, off_t offset, int origin) {
    FILE *file = __lw_file_of(fd);
    return file && fseek(file, offset, origin) == 0 ? ftell(file) : -1;
}
inline ssize_t pread(int fd, void *to, size_t count, off_t offset) {
    off_t before = lseek(fd, 0, SEEK_CUR);
    if (lseek(fd, offset, SEEK_SET) < 0) return -1;
    ssize_t done = read(fd, to, count);
    lseek(fd, before, SEEK_SET);
    return done;
}
struct stat {
    mode_t st_mode;
    off_t st_size, st_blksize, st_blocks;
    time_t st_atime, st_mtime, st_ctime;
    ino_t st_ino;
    unsigned long st_nlink, st_dev;
    unsigned st_uid, st_gid;
};
inline int stat(const char *name, struct stat *to) {
    long status[3];
    if (__lw_status(name, status, &errno) != 0) return -1;
    memset(to, 0, sizeof(*to));
    to->st_mode = status[0] == 2 ? S_IFDIR | 0755 : S_IFREG | 0644;
    to->st_size = status[1];
    to->st_blksize = 4096;
    to->st_blocks = (status[1] + 511) / 512;
    to->st_atime = to->st_mtime = to->st_ctime = status[2];
    to->st_nlink = 1;
    return 0;
}
inline int lstat(const char *name, struct stat *to) { return stat(name, to); }
inline int fstat(int fd, struct stat *to) {
    FILE *file = __lw_file_of(fd);
    if (fd > 2 && fd < __LW_DESCRIPTORS && __lw_descriptors[fd].name) {
        if (file) fflush(file);
        return stat(__lw_descriptors[fd].name, to);
    }
    errno = EBADF;
    return -1;
}
inline int unlink(const char *name) { return __lw_unlink(name, &errno); }
inline int mkdir(const char *name, mode_t) { return __lw_make_folder(name, &errno); }
inline int rmdir(const char *name) { return __lw_remove_folder(name, &errno); }
inline int chdir(const char *name) { return __lw_enter_folder(name, &errno); }
inline int fchdir(int fd) {
    if (fd > 2 && fd < __LW_DESCRIPTORS && __lw_descriptors[fd].name) return chdir(__lw_descriptors[fd].name);
    errno = EBADF;
    return -1;
}
inline char *getcwd(char *to, size_t room) {
    char *path = __lw_current_folder();
    if (!to) return path;
    if (strlen(path) >= room) { errno = ERANGE; to = nullptr; }
    else strcpy(to, path);
    free(path);
    return to;
}
// Folders.
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
struct dirent { ino_t d_ino; unsigned char d_type; char d_name[256]; };
struct DIR { char *names, *at, *path; dirent entry; int fd; };
inline DIR *opendir(const char *name) {
    char *names = __lw_names(name, &errno);
    if (!names) return nullptr;
    DIR *dir = (DIR *)malloc(sizeof(DIR));
    dir->names = dir->at = names;
    dir->fd = -1;
    char *folder = __lw_current_folder();
    dir->path = (char *)malloc(strlen(folder) + strlen(name) + 2);
    strcpy(dir->path, name[0] == '/' ? "" : folder);
    if (name[0] != '/') strcat(dir->path, "/");
    strcat(dir->path, name);
    free(folder);
    return dir;
}
inline dirent *readdir(DIR *dir) {
    if (!*dir->at) return nullptr;
    strncpy(dir->entry.d_name, dir->at, 255);
    dir->entry.d_name[255] = 0;
    dir->at += strlen(dir->at) + 1;
    dir->entry.d_ino = 1;
    char *path = (char *)malloc(strlen(dir->path) + strlen(dir->entry.d_name) + 2);
    strcpy(path, dir->path);
    strcat(path, "/");
    strcat(path, dir->entry.d_name);
    long status[3];
    int error;
    bool known = __lw_status(path, status, &error) == 0;
    dir->entry.d_type = !known ? DT_UNKNOWN : status[0] == 2 ? DT_DIR : DT_REG;
    free(path);
    return &dir->entry;
}
inline void rewinddir(DIR *dir) { dir->at = dir->names; }
inline int dirfd(DIR *dir) {
    if (dir->fd < 0) dir->fd = __lw_add_descriptor(nullptr, dir->path);
    return dir->fd;
}
inline int closedir(DIR *dir) {
    if (dir->fd >= 0) close(dir->fd);
    free(dir->names);
    free(dir->path);
    free(dir);
    return 0;
}
// Mapped memory: a copy of the file's bytes, written back when it is unmapped or synchronized.
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_ANON MAP_ANONYMOUS
#define MAP_NORESERVE 0x4000
#define MAP_LOCKED 0x2000
#define MAP_POPULATE 0x8000
#define MAP_HUGETLB 0x40000
#define MAP_FAILED ((void *)-1)
#define MS_ASYNC 1
#define MS_INVALIDATE 2
#define MS_SYNC 4
#define MADV_NORMAL 0
#define MADV_RANDOM 1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED 3
#define MADV_HUGEPAGE 14
struct __lw_mapping { void *start; size_t bytes; char *name; off_t offset; __lw_mapping *next; };
inline __lw_mapping *__lw_mappings;
inline void *mmap(void *, size_t bytes, int access, int flags, int fd, off_t offset) {
    if (bytes == 0 || (flags & MAP_FIXED)) { errno = EINVAL; return MAP_FAILED; }
    void *start = aligned_alloc(4096, bytes);
    if (!start) { errno = ENOMEM; return MAP_FAILED; }
    memset(start, 0, bytes);
    __lw_mapping *mapping = (__lw_mapping *)malloc(sizeof(__lw_mapping));
    mapping->start = start;
    mapping->bytes = bytes;
    mapping->offset = offset;
    mapping->name = nullptr;
    mapping->next = __lw_mappings;
    if (!(flags & MAP_ANONYMOUS)) {
        if (!__lw_file_of(fd) || pread(fd, start, bytes, offset) < 0) { free(mapping); free(start); return MAP_FAILED; }
        if ((flags & MAP_SHARED) && (access & PROT_WRITE) && fd > 2) mapping->name = strdup(__lw_descriptors[fd].name);
    }
    __lw_mappings = mapping;
    return start;
}
inline int msync(void *start, size_t, int) {
    for (__lw_mapping *m = __lw_mappings; m; m = m->next) {
        if (m->start != start || !m->name) continue;
        FILE *file = fopen(m->name, "rb+");
        if (!file) return -1;
        long status[3];
        size_t size = __lw_status(m->name, status, &errno) == 0 ? status[1] : 0;
        size_t room = size > (size_t)m->offset ? size - m->offset : 0;
        fseek(file, m->offset, SEEK_SET);
        if (room) __lw_write(file, m->start, room < m->bytes ? room : m->bytes);
        fclose(file);
    }
    return 0;
}
inline int munmap(void *start, size_t bytes) {
    msync(start, bytes, MS_SYNC);
    for (__lw_mapping **at = &__lw_mappings; *at; at = &(*at)->next) {
        __lw_mapping *m = *at;
        if (m->start != start) continue;
        *at = m->next;
        free(m->start);
        free(m->name);
        free(m);
        return 0;
    }
    errno = EINVAL;
    return -1;
}
inline int mprotect(void *, size_t, int) { return 0; }
inline int mlock(const void *, size_t) { return 0; }
inline int munlock(const void *, size_t) { return 0; }
inline int madvise(void *, size_t, int) { return 0; }
// Times of the process, in hundredths of a second.
struct tms { clock_t tms_utime, tms_stime, tms_cutime, tms_cstime; };
inline clock_t times(tms *to) {
    clock_t now = (clock_t)(__lw_elapsed() / 10000000);
    if (to) {
        to->tms_utime = now;
        to->tms_stime = to->tms_cutime = to->tms_cstime = 0;
    }
    return now;
}
