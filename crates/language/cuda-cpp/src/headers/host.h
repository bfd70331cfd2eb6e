// Host code: the C library and the CUDA runtime, over functions of the interpreter and of CUDA's driver.
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__
#define EOF (-1)
#define RAND_MAX 2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define CLOCKS_PER_SEC 1000000l
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define PATH_MAX 4096
struct FILE;
#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)
typedef char *va_list;
typedef long time_t;
typedef int errno_t;
typedef int pid_t;
inline int __lw_errno;
#define errno __lw_errno
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define ENOSYS 38
#define EOVERFLOW 75
#define ETIMEDOUT 110
struct timeval { long tv_sec, tv_usec; };
struct timespec { long tv_sec, tv_nsec; };
#define timeradd(a, b, to) do { (to)->tv_sec = (a)->tv_sec + (b)->tv_sec; (to)->tv_usec = (a)->tv_usec + (b)->tv_usec; if ((to)->tv_usec >= 1000000) { (to)->tv_sec++; (to)->tv_usec -= 1000000; } } while (0)
#define timersub(a, b, to) do { (to)->tv_sec = (a)->tv_sec - (b)->tv_sec; (to)->tv_usec = (a)->tv_usec - (b)->tv_usec; if ((to)->tv_usec < 0) { (to)->tv_sec--; (to)->tv_usec += 1000000; } } while (0)
#define timerclear(at) ((at)->tv_sec = (at)->tv_usec = 0)
#define timerisset(at) ((at)->tv_sec || (at)->tv_usec)
#define timercmp(a, b, OP) ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec OP (b)->tv_usec : (a)->tv_sec OP (b)->tv_sec)
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };
struct timezone { int tz_minuteswest, tz_dsttime; };
struct div_t { int quot, rem; };
struct ldiv_t { long quot, rem; };
extern "C" {
int __lw_print(FILE *file, const char *format, const char *arguments);
int __lw_format(char *to, size_t room, const char *format, const char *arguments);
int __lw_write(FILE *file, const void *bytes, size_t count);
int __lw_scan_text(const char *text, const char *format, const char *arguments);
int __lw_scan_file(FILE *file, const char *format, const char *arguments);
double __lw_text_to_real(const char *text, char **end);
long __lw_text_to_integer(const char *text, char **end, int base, int is_unsigned, int *error);
void __lw_exit(int code);
void __lw_fault(const char *message);
int lanework_set_in_host_function(int running);
unsigned long __lw_exchange_if(void *at, unsigned long wanted, unsigned long value, size_t bytes);
unsigned long __lw_now();
unsigned long __lw_elapsed();
char *__lw_environment(const char *name);
FILE *__lw_open(const char *name, const char *mode, int *error);
int __lw_reopen(FILE *file, const char *name, const char *mode, int *error);
int fclose(FILE *file);
int fflush(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
int fgetc(FILE *file);
int ungetc(int byte, FILE *file);
int feof(FILE *file);
int fseek(FILE *file, long offset, int origin);
long ftell(FILE *file);
int remove(const char *name);
int __lw_rename(const char *from, const char *to, int *error);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void *aligned_alloc(size_t align, size_t size);
void free(void *memory);
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *a, const void *b, size_t count);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
void abort();
int rand();
void srand(unsigned seed);
void __lw_sort(const void *keys, size_t n, size_t size, int kind, bool down, unsigned *order);
void __lw_sort_in_place(void *keys, size_t n, size_t size, int kind);
}
inline void *__lw_heap(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) __lw_fault("terminate called after throwing an instance of 'std::bad_alloc'");
    return memory;
}
__OP("va_list") char *__lw_va_list();
inline char *__lw_va_next(char **list, size_t size) {
    char *at = (char *)(((size_t)*list + size - 1) & ~(size - 1));
    *list = at + size;
    return at;
}
#define va_start(list, last) ((list) = __lw_va_list())
#define va_arg(list, T) (*(T *)__lw_va_next(&(list), sizeof(T)))
#define va_end(list) ((void)0)
#define va_copy(to, from) ((to) = (from))
inline int printf(const char *format, ...) { return __lw_print(stdout, format, __lw_va_list()); }
inline int fprintf(FILE *file, const char *format, ...) { return __lw_print(file, format, __lw_va_list()); }
inline int sprintf(char *to, const char *format, ...) { return __lw_format(to, ~0ul >> 1, format, __lw_va_list()); }
inline int snprintf(char *to, size_t room, const char *format, ...) { return __lw_format(to, room, format, __lw_va_list()); }
inline int vprintf(const char *format, va_list list) { return __lw_print(stdout, format, list); }
inline int vfprintf(FILE *file, const char *format, va_list list) { return __lw_print(file, format, list); }
inline int vsnprintf(char *to, size_t room, const char *format, va_list list) { return __lw_format(to, room, format, list); }
inline int vsprintf(char *to, const char *format, va_list list) { return __lw_format(to, ~0ul >> 1, format, list); }
inline int vasprintf(char **to, const char *format, va_list list) {
    int length = __lw_format(nullptr, 0, format, list);
    *to = length < 0 ? nullptr : (char *)malloc(length + 1);
    return *to ? __lw_format(*to, length + 1, format, list) : -1;
}
inline int asprintf(char **to, const char *format, ...) { return vasprintf(to, format, __lw_va_list()); }
inline int scanf(const char *format, ...) { return __lw_scan_file(stdin, format, __lw_va_list()); }
inline int fscanf(FILE *file, const char *format, ...) { return __lw_scan_file(file, format, __lw_va_list()); }
inline int sscanf(const char *text, const char *format, ...) { return __lw_scan_text(text, format, __lw_va_list()); }
inline size_t fwrite(const void *from, size_t size, size_t count, FILE *file) { return __lw_write(file, from, size * count) ? count : 0; }
inline int fputs(const char *text, FILE *file) { return __lw_write(file, text, strlen(text)) ? 1 : EOF; }
inline int puts(const char *text) { fputs(text, stdout); return fputs("\n", stdout); }
inline int fputc(int byte, FILE *file) { char c = (char)byte; return __lw_write(file, &c, 1) ? byte : EOF; }
inline int putc(int byte, FILE *file) { return fputc(byte, file); }
inline int putchar(int byte) { return fputc(byte, stdout); }
inline int getc(FILE *file) { return fgetc(file); }
inline int getchar() { return fgetc(stdin); }
inline int ferror(FILE *) { return 0; }
inline int ffs(int bits) { return __builtin_ffs(bits); }
inline void rewind(FILE *file) { fseek(file, 0, SEEK_SET); }
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
inline int setvbuf(FILE *, char *, int, size_t) { return 0; }
inline void setbuf(FILE *, char *) {}
inline FILE *fopen(const char *name, const char *mode) { return __lw_open(name, mode, &errno); }
inline int rename(const char *from, const char *to) { return __lw_rename(from, to, &errno); }
inline FILE *freopen(const char *name, const char *mode, FILE *file) { return __lw_reopen(file, name, mode, &errno) == 0 ? file : nullptr; }
inline const char *__lw_error_text(int error) {
    switch (error) {
    case 0: return "Success";
    case EPERM: return "Operation not permitted";
    case ENOENT: return "No such file or directory";
    case EINTR: return "Interrupted system call";
    case EIO: return "Input/output error";
    case EBADF: return "Bad file descriptor";
    case EAGAIN: return "Resource temporarily unavailable";
    case ENOMEM: return "Cannot allocate memory";
    case EACCES: return "Permission denied";
    case EEXIST: return "File exists";
    case ENOTDIR: return "Not a directory";
    case EISDIR: return "Is a directory";
    case EINVAL: return "Invalid argument";
    case ENOSPC: return "No space left on device";
    case EPIPE: return "Broken pipe";
    case EDOM: return "Numerical argument out of domain";
    case ERANGE: return "Numerical result out of range";
    case ENOSYS: return "Function not implemented";
    }
    static char text[40];
    snprintf(text, 40, "Unknown error %d", error);
    return text;
}
inline void perror(const char *text) {
    if (text && *text) fprintf(stderr, "%s: ", text);
    fprintf(stderr, "%s\n", __lw_error_text(errno));
}
inline char *fgets(char *to, int room, FILE *file) {
    int count = 0;
    while (count < room - 1) {
        int byte = fgetc(file);
        if (byte == EOF) break;
        to[count++] = (char)byte;
        if (byte == '\n') break;
    }
    if (count == 0) return nullptr;
    to[count] = 0;
    return to;
}
inline char *strcpy(char *to, const char *from) { memcpy(to, from, strlen(from) + 1); return to; }
inline char *strncpy(char *to, const char *from, size_t count) {
    size_t i = 0;
    for (; i < count && from[i]; i++) to[i] = from[i];
    for (; i < count; i++) to[i] = 0;
    return to;
}
inline char *strcat(char *to, const char *from) { strcpy(to + strlen(to), from); return to; }
inline char *strncat(char *to, const char *from, size_t count) {
    char *end = to + strlen(to);
    for (; count > 0 && *from; count--) *end++ = *from++;
    *end = 0;
    return to;
}
inline char *strchr(const char *text, int byte) {
    for (;; text++) {
        if (*text == (char)byte) return (char *)text;
        if (!*text) return nullptr;
    }
}
inline char *strrchr(const char *text, int byte) {
    const char *found = nullptr;
    for (;; text++) {
        if (*text == (char)byte) found = text;
        if (!*text) return (char *)found;
    }
}
inline char *rindex(const char *text, int byte) { return strrchr(text, byte); }
inline char *strstr(const char *text, const char *part) {
    size_t count = strlen(part);
    for (;; text++) {
        if (strncmp(text, part, count) == 0) return (char *)text;
        if (!*text) return nullptr;
    }
}
inline char *strdup(const char *text) { return strcpy((char *)malloc(strlen(text) + 1), text); }
inline char *strtok(char *text, const char *separators) {
    static char *rest;
    if (text) rest = text;
    if (!rest) return nullptr;
    while (*rest && strchr(separators, *rest)) rest++;
    if (!*rest) return rest = nullptr;
    char *token = rest;
    while (*rest && !strchr(separators, *rest)) rest++;
    if (*rest) *rest++ = 0;
    else rest = nullptr;
    return token;
}
inline char *strerror(int error) { return (char *)__lw_error_text(error); }
inline char *strtok_r(char *text, const char *separators, char **rest) {
    if (text) *rest = text;
    char *at = *rest;
    if (!at) return nullptr;
    while (*at && strchr(separators, *at)) at++;
    if (!*at) { *rest = nullptr; return nullptr; }
    char *token = at;
    while (*at && !strchr(separators, *at)) at++;
    if (*at) { *at = 0; *rest = at + 1; } else *rest = nullptr;
    return token;
}
inline size_t strspn(const char *text, const char *set) {
    size_t n = 0;
    while (text[n] && strchr(set, text[n])) n++;
    return n;
}
inline size_t strcspn(const char *text, const char *set) {
    size_t n = 0;
    while (text[n] && !strchr(set, text[n])) n++;
    return n;
}
inline char *strpbrk(const char *text, const char *set) {
    text += strcspn(text, set);
    return *text ? (char *)text : nullptr;
}
inline size_t strnlen(const char *text, size_t most) { size_t n = 0; while (n < most && text[n]) n++; return n; }
inline void *memchr(const void *bytes, int byte, size_t count) {
    const unsigned char *at = (const unsigned char *)bytes;
    for (; count > 0; count--, at++) if (*at == (unsigned char)byte) return (void *)at;
    return nullptr;
}
inline int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
inline int isdigit(int c) { return c >= '0' && c <= '9'; }
inline int isupper(int c) { return c >= 'A' && c <= 'Z'; }
inline int islower(int c) { return c >= 'a' && c <= 'z'; }
inline int isalpha(int c) { return isupper(c) || islower(c); }
inline int isalnum(int c) { return isalpha(c) || isdigit(c); }
inline int isprint(int c) { return c >= 32 && c < 127; }
inline int toupper(int c) { return islower(c) ? c - 32 : c; }
inline int tolower(int c) { return isupper(c) ? c + 32 : c; }
inline int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
inline int isgraph(int c) { return c > 32 && c < 127; }
inline int ispunct(int c) { return isgraph(c) && !isalnum(c); }
inline int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
inline int isblank(int c) { return c == ' ' || c == '\t'; }
inline int __lw_compare_case(const char *a, const char *b, size_t count) {
    for (; count > 0; count--, a++, b++) {
        int difference = tolower((unsigned char)*a) - tolower((unsigned char)*b);
        if (difference || !*a) return difference;
    }
    return 0;
}
inline int strcasecmp(const char *a, const char *b) { return __lw_compare_case(a, b, ~0ul); }
inline int strncasecmp(const char *a, const char *b, size_t count) { return __lw_compare_case(a, b, count); }
inline double strtod(const char *text, char **end) { return __lw_text_to_real(text, end); }
inline float strtof(const char *text, char **end) { return (float)__lw_text_to_real(text, end); }
inline long strtol(const char *text, char **end, int base) { return __lw_text_to_integer(text, end, base, 0, &errno); }
inline long long strtoll(const char *text, char **end, int base) { return __lw_text_to_integer(text, end, base, 0, &errno); }
inline unsigned long strtoul(const char *text, char **end, int base) { return (unsigned long)__lw_text_to_integer(text, end, base, 1, &errno); }
inline unsigned long long strtoull(const char *text, char **end, int base) { return (unsigned long long)__lw_text_to_integer(text, end, base, 1, &errno); }
inline int atoi(const char *text) { return (int)__lw_text_to_integer(text, nullptr, 10, 0, &errno); }
inline long atol(const char *text) { return __lw_text_to_integer(text, nullptr, 10, 0, &errno); }
inline long long atoll(const char *text) { return __lw_text_to_integer(text, nullptr, 10, 0, &errno); }
inline double atof(const char *text) { return __lw_text_to_real(text, nullptr); }
inline int posix_memalign(void **to, size_t align, size_t size) { *to = aligned_alloc(align, size); return *to ? 0 : 12; }
// Runs at the end of the program: functions, and destructors of `count` objects of `size` bytes.
struct __lw_last {
    void (*function)();
    void (*destroy)(void *);
    char *object;
    size_t size, count;
    __lw_last *before;
};
inline __lw_last *__lw_lasts;
inline void __lw_add_last(void (*function)(), void (*destroy)(void *), void *object, size_t size, size_t count) {
    __lw_last *last = (__lw_last *)malloc(sizeof(__lw_last));
    *last = __lw_last{function, destroy, (char *)object, size, count, __lw_lasts};
    __lw_lasts = last;
}
inline int atexit(void (*handler)()) { __lw_add_last(handler, nullptr, nullptr, 0, 0); return 0; }
inline void __lw_at_exit(void *destroy, void *object, size_t size, size_t count) {
    __lw_add_last(nullptr, (void (*)(void *))destroy, object, size, count);
}
inline void __lw_uncaught();
extern "C" inline int __lw_finish(int code) {
    __lw_uncaught();
    while (__lw_lasts) {
        __lw_last *last = __lw_lasts;
        __lw_lasts = last->before;
        if (last->function) last->function();
        for (size_t i = last->count; i > 0; i--) last->destroy(last->object + (i - 1) * last->size);
        free(last);
    }
    return code;
}
inline void exit(int code) { __lw_exit(__lw_finish(code)); }
inline void _exit(int code) { __lw_exit(code); }
// Descriptions of types, which the compiler creates: the names, then the bases.
struct __lw_type;
struct __lw_base { const __lw_type *type; size_t offset; };
struct __lw_type { const char *name; size_t count; const char *mangled; };
inline const void *__lw_part(const void *object, const __lw_type *type, const __lw_type *wanted) {
    if (type == wanted) return object;
    const __lw_base *base = (const __lw_base *)(type + 1);
    for (size_t i = 0; i < type->count; i++) {
        const void *found = __lw_part((const char *)object + base[i].offset, base[i].type, wanted);
        if (found) return found;
    }
    return nullptr;
}
inline const void *__lw_part_named(const void *object, const __lw_type *type, const char *wanted) {
    if (strcmp(type->name, wanted) == 0) return object;
    const __lw_base *base = (const __lw_base *)(type + 1);
    for (size_t i = 0; i < type->count; i++) {
        const void *found = __lw_part_named((const char *)object + base[i].offset, base[i].type, wanted);
        if (found) return found;
    }
    return nullptr;
}
inline void *__lw_dynamic_cast(const void *object, const void *wanted) {
    if (!object) return nullptr;
    return (void *)__lw_part(__lw_whole(object), (*(const __lw_table **)object)->type, (const __lw_type *)wanted);
}
inline void __lw_pure_virtual() { __lw_fault("a pure virtual function was called"); }
// Exceptions: the one being thrown, and those whose handlers run.
struct __lw_exception { void *object; const __lw_type *type; void (*destroy)(void *); int uses; };
struct __lw_handled { __lw_exception *exception; __lw_handled *before; };
inline __lw_exception *__lw_pending;
inline __lw_handled *__lw_caught;
inline int __lw_tries;
inline void __lw_terminate(const void *object, const __lw_type *type);
inline void __lw_try_enter() { __lw_tries++; }
inline void __lw_try_leave() { __lw_tries--; }
inline void __lw_throw(void *object, const void *type, void *destroy) {
    if (__lw_tries == 0) __lw_terminate(object, (const __lw_type *)type);
    __lw_pending = (__lw_exception *)malloc(sizeof(__lw_exception));
    *__lw_pending = __lw_exception{object, (const __lw_type *)type, (void (*)(void *))destroy, 0};
}
inline void __lw_rethrow() {
    if (!__lw_caught) __lw_fault("`throw` without an exception to throw again");
    __lw_pending = __lw_caught->exception;
    if (__lw_tries == 0) __lw_terminate(__lw_pending->object, __lw_pending->type);
    __lw_pending->uses++;
}
inline void *__lw_catch(const void *wanted) {
    __lw_exception *pending = __lw_pending;
    const void *object = wanted ? __lw_part(pending->object, pending->type, (const __lw_type *)wanted) : pending->object;
    if (!object) return nullptr;
    __lw_pending = nullptr;
    __lw_handled *handled = (__lw_handled *)malloc(sizeof(__lw_handled));
    *handled = __lw_handled{pending, __lw_caught};
    __lw_caught = handled;
    return (void *)object;
}
inline void __lw_end_catch() {
    __lw_handled *handled = __lw_caught;
    __lw_exception *caught = handled->exception;
    __lw_caught = handled->before;
    free(handled);
    if (caught->uses-- > 0) return;
    if (caught->destroy) caught->destroy(caught->object);
    free(caught->object);
    free(caught);
}
inline void __lw_uncaught() { if (__lw_pending) __lw_terminate(__lw_pending->object, __lw_pending->type); }
// In its scope, the driver refuses calls as in a host function that a stream calls, or allows them again in a thread that one starts.
struct __lw_host_function {
    int outer;
    explicit __lw_host_function(int running) : outer(lanework_set_in_host_function(running)) {}
    ~__lw_host_function() { lanework_set_in_host_function(outer); }
};
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __lw_fault("assertion failed: " #condition))
#endif
inline char *getcwd(char *to, size_t room) {
    const char *found = __lw_environment("PWD");
    if (!found || strlen(found) + 1 > room) { errno = ERANGE; return nullptr; }
    return (char *)memcpy(to, found, strlen(found) + 1);
}
inline char *getenv(const char *name) { return __lw_environment(name); }
inline time_t time(time_t *to) {
    time_t now = (time_t)(__lw_now() / 1000000000);
    if (to) *to = now;
    return now;
}
inline clock_t clock() { return (clock_t)(__lw_elapsed() / 1000); }
inline double difftime(time_t a, time_t b) { return (double)(a - b); }
template <class Z> inline int gettimeofday(timeval *to, Z) {
    unsigned long now = __lw_now();
    to->tv_sec = (long)(now / 1000000000);
    to->tv_usec = (long)(now / 1000 % 1000000);
    return 0;
}
// Dates, in UTC.
inline tm *gmtime_r(const time_t *time, tm *to) {
    long days = *time / 86400, rest = *time % 86400;
    if (rest < 0) { rest += 86400; days--; }
    to->tm_hour = (int)(rest / 3600); to->tm_min = (int)(rest / 60 % 60); to->tm_sec = (int)(rest % 60);
    to->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
    // Count years from March, so that February 29 is the last day of a year.
    long era = days + 719468, cycle = (era >= 0 ? era : era - 146096) / 146097, day = era - cycle * 146097;
    long year = (day - day / 1460 + day / 36524 - day / 146096) / 365, of_year = day - (365 * year + year / 4 - year / 100);
    long month = (5 * of_year + 2) / 153;
    to->tm_mday = (int)(of_year - (153 * month + 2) / 5 + 1);
    to->tm_mon = (int)(month < 10 ? month + 2 : month - 10);
    year += cycle * 400 + (to->tm_mon < 2);
    to->tm_year = (int)(year - 1900);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    to->tm_yday = before[to->tm_mon] + to->tm_mday - 1 + (leap && to->tm_mon > 1);
    to->tm_isdst = 0;
    return to;
}
inline tm *localtime_r(const time_t *time, tm *to) { return gmtime_r(time, to); }
inline tm *gmtime(const time_t *time) { static tm made; return gmtime_r(time, &made); }
inline tm *localtime(const time_t *time) { return gmtime(time); }
inline size_t strftime(char *to, size_t room, const char *format, const tm *at) {
    static const char *days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
    static const char *months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
    size_t count = 0;
    for (; *format; format++) {
        char part[64] = {*format, 0};
        if (*format == '%' && format[1]) {
            switch (*++format) {
            case 'Y': sprintf(part, "%d", at->tm_year + 1900); break;
            case 'y': sprintf(part, "%02d", at->tm_year % 100); break;
            case 'm': sprintf(part, "%02d", at->tm_mon + 1); break;
            case 'd': sprintf(part, "%02d", at->tm_mday); break;
            case 'e': sprintf(part, "%2d", at->tm_mday); break;
            case 'H': sprintf(part, "%02d", at->tm_hour); break;
            case 'M': sprintf(part, "%02d", at->tm_min); break;
            case 'S': sprintf(part, "%02d", at->tm_sec); break;
            case 'j': sprintf(part, "%03d", at->tm_yday + 1); break;
            case 'A': sprintf(part, "%s", days[at->tm_wday]); break;
            case 'a': sprintf(part, "%.3s", days[at->tm_wday]); break;
            case 'B': sprintf(part, "%s", months[at->tm_mon]); break;
            case 'b': sprintf(part, "%.3s", months[at->tm_mon]); break;
            case 'F': sprintf(part, "%d-%02d-%02d", at->tm_year + 1900, at->tm_mon + 1, at->tm_mday); break;
            case 'T': case 'X': sprintf(part, "%02d:%02d:%02d", at->tm_hour, at->tm_min, at->tm_sec); break;
            case 'D': case 'x': sprintf(part, "%02d/%02d/%02d", at->tm_mon + 1, at->tm_mday, at->tm_year % 100); break;
            case 'R': sprintf(part, "%02d:%02d", at->tm_hour, at->tm_min); break;
            case 'c': sprintf(part, "%.3s %.3s %2d %02d:%02d:%02d %d", days[at->tm_wday], months[at->tm_mon], at->tm_mday, at->tm_hour, at->tm_min, at->tm_sec, at->tm_year + 1900); break;
            case 'Z': sprintf(part, "UTC"); break;
            case 'z': sprintf(part, "+0000"); break;
            default: sprintf(part, "%c", *format);
            }
        }
        size_t length = strlen(part);
        if (count + length >= room) return 0;
        memcpy(to + count, part, length);
        count += length;
    }
    if (room > 0) to[count] = 0;
    return count;
}
inline char *asctime(const tm *at) { static char text[64]; strftime(text, 64, "%c\n", at); return text; }
inline char *ctime(const time_t *time) { return asctime(gmtime(time)); }
inline time_t mktime(tm *at) {
    long year = at->tm_year + 1900 + at->tm_mon / 12, month = at->tm_mon % 12;
    if (month < 0) { month += 12; year--; }
    long shifted = month < 2 ? year - 1 : year, cycle = (shifted >= 0 ? shifted : shifted - 399) / 400, part = shifted - cycle * 400;
    long of_year = (153 * (month < 2 ? month + 10 : month - 2) + 2) / 5 + at->tm_mday - 1;
    long days = cycle * 146097 + part * 365 + part / 4 - part / 100 + of_year - 719468;
    time_t made = days * 86400 + at->tm_hour * 3600l + at->tm_min * 60l + at->tm_sec;
    gmtime_r(&made, at);
    return made;
}
inline void bzero(void *to, size_t count) { memset(to, 0, count); }
inline void bcopy(const void *from, void *to, size_t count) { memmove(to, from, count); }
inline int setenv(const char *, const char *, int) { return 0; }
inline int putenv(char *) { return 0; }
inline int unsetenv(const char *) { return 0; }
inline int system(const char *) { return -1; }
inline int getpid() { return 4242; }
inline int getppid() { return 4241; }
#define _SC_CLK_TCK 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
inline long sysconf(int name) {
    if (name == _SC_CLK_TCK) return 100;
    if (name == _SC_PAGESIZE) return 4096;
    if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN) return 1;
    errno = EINVAL;
    return -1;
}
inline int gethostname(char *to, size_t room) { return snprintf(to, room, "localhost") < (int)room ? 0 : -1; }
inline void *memalign(size_t align, size_t size) { return aligned_alloc(align, size); }
inline int sched_yield() { return 0; }
inline int nanosleep(const timespec *, timespec *) { return 0; }
inline long getline(char **line, size_t *room, FILE *file) {
    size_t count = 0;
    for (int byte; (byte = fgetc(file)) != EOF;) {
        if (!*line || count + 2 > *room) {
            *room = *line ? *room * 2 + 2 : 128;
            *line = (char *)realloc(*line, *room);
        }
        (*line)[count++] = (char)byte;
        if (byte == '\n') break;
    }
    if (count == 0) return -1;
    (*line)[count] = 0;
    return (long)count;
}
inline int clock_gettime(int, timespec *to) {
    unsigned long now = __lw_now();
    to->tv_sec = (long)(now / 1000000000);
    to->tv_nsec = (long)(now % 1000000000);
    return 0;
}
struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65]; };
inline int uname(utsname *to) {
    strcpy(to->sysname, "Linux"); strcpy(to->nodename, "localhost"); strcpy(to->release, "6.1.0"); strcpy(to->version, "#1"); strcpy(to->machine, "x86_64");
    return 0;
}
inline int usleep(unsigned) { return 0; }
inline unsigned sleep(unsigned) { return 0; }
// The 48-bit generator of POSIX.
inline unsigned long __lw_state48 = 0x1234abcd330eul;
inline unsigned long __lw_next48(unsigned long &state) { return state = (state * 0x5deece66dul + 11) & 0xfffffffffffful; }
inline void srand48(long seed) { __lw_state48 = ((unsigned long)(unsigned)seed << 16) + 0x330e; }
inline double drand48() { return (double)__lw_next48(__lw_state48) / 281474976710656.0; }
inline long lrand48() { return (long)(__lw_next48(__lw_state48) >> 17); }
inline long mrand48() { return (long)(int)(__lw_next48(__lw_state48) >> 16); }
inline int rand_r(unsigned *seed) {
    unsigned next = *seed, result;
    next = next * 1103515245u + 12345u;
    result = next / 65536u % 2048u;
    next = next * 1103515245u + 12345u;
    result = result << 10 ^ next / 65536u % 1024u;
    next = next * 1103515245u + 12345u;
    result = result << 10 ^ next / 65536u % 1024u;
    *seed = next;
    return (int)result;
}
inline long random() { return rand(); }
inline void srandom(unsigned seed) { srand(seed); }
inline div_t div(int a, int b) { return div_t{a / b, a % b}; }
inline ldiv_t ldiv(long a, long b) { return ldiv_t{a / b, a % b}; }
inline void *bsearch(const void *key, const void *list, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    while (count > 0) {
        const char *middle = (const char *)list + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) { list = middle + size; count -= count / 2 + 1; }
        else count /= 2;
    }
    return nullptr;
}
inline void qsort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    if (count < 2) return;
    // Merge sort: stable, and never quadratic.
    char *from = (char *)list, *to = (char *)malloc(count * size);
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t a = start, b = middle;
            for (size_t at = start; at < end; at++) {
                bool left = a < middle && (b >= end || compare(from + a * size, from + b * size) <= 0);
                memcpy(to + at * size, from + (left ? a++ : b++) * size, size);
            }
        }
        char *other = from;
        from = to;
        to = other;
    }
    if (from != (char *)list) {
        memcpy(list, from, count * size);
        to = from;
    }
    free(to);
}
#define __LW_MATH(NAME)                                                                                               \
    extern "C" double NAME(double x);                                                                                 \
    extern "C" float NAME##f(float x);                                                                                \
    inline float NAME(float x) { return NAME##f(x); }                                                                 \
    inline double NAME(int x) { return NAME((double)x); }                                                             \
    inline double NAME(unsigned x) { return NAME((double)x); }                                                        \
    inline double NAME(long x) { return NAME((double)x); }                                                            \
    inline double NAME(unsigned long x) { return NAME((double)x); }
__LW_MATH(sin) __LW_MATH(cos) __LW_MATH(tan) __LW_MATH(asin) __LW_MATH(acos) __LW_MATH(atan) __LW_MATH(sinh)
__LW_MATH(cosh) __LW_MATH(tanh) __LW_MATH(asinh) __LW_MATH(acosh) __LW_MATH(atanh) __LW_MATH(exp) __LW_MATH(exp2)
__LW_MATH(expm1) __LW_MATH(log) __LW_MATH(log2) __LW_MATH(log10) __LW_MATH(log1p) __LW_MATH(cbrt) __LW_MATH(round)
__LW_MATH(erf) __LW_MATH(erfc) __LW_MATH(__lw_lgamma) __LW_MATH(tgamma)
// The sign of the gamma function at the last argument of `lgamma`: alternates between the poles, which are at 0, -1, -2 and so on.
inline int signgam = 1;
template <class T> inline void __lw_set_sign(T x, T below) { signgam = x < 0 && x != below && below - 2 * floor(below / 2) != 0 ? -1 : 1; }
inline double lgamma(double x) { __lw_set_sign(x, floor(x)); return __lw_lgamma(x); }
inline float lgammaf(float x) { __lw_set_sign(x, floorf(x)); return __lw_lgammaf(x); }
inline float lgamma(float x) { return lgammaf(x); }
inline double lgamma(int x) { return lgamma((double)x); }
inline double lgamma(long x) { return lgamma((double)x); }
#define __LW_MATH2(NAME)                                                                                              \
    extern "C" double NAME(double x, double y);                                                                       \
    extern "C" float NAME##f(float x, float y);                                                                       \
    inline float NAME(float x, float y) { return NAME##f(x, y); }                                                     \
    inline double NAME(double x, int y) { return NAME(x, (double)y); }                                                \
    inline double NAME(int x, int y) { return NAME((double)x, (double)y); }                                           \
    inline double NAME(int x, double y) { return NAME((double)x, y); }                                                \
    inline double NAME(float x, double y) { return NAME((double)x, y); }                                              \
    inline double NAME(double x, float y) { return NAME(x, (double)y); }                                              \
    inline double NAME(int x, float y) { return NAME((double)x, (double)y); }                                         \
    inline double NAME(float x, int y) { return NAME((double)x, (double)y); }
inline void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
inline void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
#define __LW_MIXED(NAME)                                                                                              \
    inline double NAME(float x, double y) { return NAME((double)x, y); }                                              \
    inline double NAME(double x, float y) { return NAME(x, (double)y); }                                              \
    inline double NAME(int x, double y) { return NAME((double)x, y); }                                                \
    inline double NAME(double x, int y) { return NAME(x, (double)y); }                                                \
    inline double NAME(int x, float y) { return NAME((double)x, (double)y); }                                         \
    inline double NAME(float x, int y) { return NAME((double)x, (double)y); }                                         \
    inline double NAME(int x, int y) { return NAME((double)x, (double)y); }
__LW_MIXED(fmin) __LW_MIXED(fmax)
__LW_MATH2(pow) __LW_MATH2(atan2) __LW_MATH2(hypot) __LW_MATH2(fmod)
// `long double` has the values of `double`.
#define __LW_LONG(NAME)                                                                                               \
    inline long double NAME##l(long double x) { return NAME((double)x); }                                             \
    inline long double NAME(long double x) { return NAME((double)x); }
__LW_LONG(sin) __LW_LONG(cos) __LW_LONG(tan) __LW_LONG(asin) __LW_LONG(acos) __LW_LONG(atan) __LW_LONG(sinh) __LW_LONG(cosh)
__LW_LONG(tanh) __LW_LONG(asinh) __LW_LONG(acosh) __LW_LONG(atanh) __LW_LONG(exp) __LW_LONG(exp2) __LW_LONG(expm1)
__LW_LONG(log) __LW_LONG(log2) __LW_LONG(log10) __LW_LONG(log1p) __LW_LONG(cbrt) __LW_LONG(round) __LW_LONG(erf)
__LW_LONG(erfc) __LW_LONG(lgamma) __LW_LONG(tgamma)
#define __LW_LONG2(NAME)                                                                                              \
    inline long double NAME##l(long double x, long double y) { return NAME((double)x, (double)y); }                   \
    inline long double NAME(long double x, long double y) { return NAME((double)x, (double)y); }                      \
    inline long double NAME(long double x, double y) { return NAME((double)x, y); }                                   \
    inline long double NAME(double x, long double y) { return NAME(x, (double)y); }                                   \
    inline long double NAME(long double x, int y) { return NAME((double)x, (double)y); }                              \
    inline long double NAME(int x, long double y) { return NAME((double)x, (double)y); }
__LW_LONG2(pow) __LW_LONG2(atan2) __LW_LONG2(hypot) __LW_LONG2(fmod)
#undef __LW_LONG
#undef __LW_LONG2
inline long double abs(long double x) { return fabs((double)x); }
inline long double strtold(const char *text, char **end) { return strtod(text, end); }
namespace std {
using ::localtime; using ::gmtime; using ::strftime; using ::mktime; using ::asctime; using ::ctime; using ::system; using ::tm;
inline void *align(size_t align, size_t size, void *&at, size_t &room) {
    size_t start = ((size_t)at + align - 1) & ~(align - 1), lost = start - (size_t)at;
    if (lost + size > room) return nullptr;
    room -= lost;
    return at = (void *)start;
}
using ::printf; using ::fprintf; using ::snprintf; using ::sprintf; using ::malloc; using ::calloc; using ::free;
using ::memcpy; using ::memset; using ::memcmp; using ::memmove; using ::strlen; using ::strcmp; using ::exit; using ::abort; using ::rand;
using ::srand; using ::time; using ::clock; using ::sin; using ::cos; using ::tan; using ::exp; using ::log; using ::pow;
using ::sqrt; using ::fabs; using ::abs; using ::floor; using ::ceil; using ::round; using ::atan2; using ::fmod;
using ::fmin; using ::fmax; using ::isnan; using ::isinf; using ::isfinite; using ::tanh; using ::log2; using ::exp2; using ::atoi; using ::atof; using ::getenv;
using ::va_list; using ::feof; using ::ferror; using ::freopen;
using ::FILE; using ::puts; using ::putchar; using ::fopen; using ::fclose; using ::log10; using ::erf; using ::hypot;
using ::atan; using ::asin; using ::acos; using ::sinh; using ::cosh; using ::qsort; using ::time_t; using ::strncmp;
using ::strcpy; using ::strncpy; using ::strcat; using ::strchr; using ::strrchr; using ::strstr; using ::strtok; using ::strtof; using ::strtoul; using ::strtoll; using ::strtoull; using ::atol; using ::atoll; using ::isspace; using ::isdigit; using ::isalpha; using ::isalnum; using ::isupper; using ::islower; using ::ispunct; using ::isxdigit; using ::isprint; using ::toupper; using ::tolower; using ::fread; using ::fwrite; using ::fseek; using ::ftell; using ::fgets; using ::fputs; using ::fgetc; using ::fputc; using ::remove; using ::rename; using ::setbuf; using ::setvbuf; using ::rewind; using ::realloc; using ::atexit; using ::vsnprintf; using ::vprintf; using ::perror; using ::labs; using ::div; using ::div_t; using ::bsearch; using ::difftime; using ::clock_t; using ::getchar; using ::scanf; using ::sscanf; using ::fscanf; using ::memchr; using ::strerror; using ::lgamma; using ::tgamma; using ::asinh; using ::acosh; using ::atanh; using ::erfc; using ::log1p; using ::expm1; using ::strdup; using ::aligned_alloc; using ::fflush; using ::strtol; using ::strtod; using ::fma; using ::trunc; using ::nearbyint; using ::rint; using ::cbrt;
}

#include <lanework/errors.h>
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ,
    cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize, cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock,
    cudaDevAttrClockRate, cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap, cudaDevAttrMultiProcessorCount,
    cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory, cudaDevAttrComputeMode,
    cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight,
    cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth,
    cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers,
    cudaDevAttrSurfaceAlignment, cudaDevAttrConcurrentKernels, cudaDevAttrEccEnabled, cudaDevAttrPciBusId,
    cudaDevAttrPciDeviceId, cudaDevAttrTccDriver, cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrL2CacheSize, cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrAsyncEngineCount,
    cudaDevAttrUnifiedAddressing, cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers,
    cudaDevAttrPciDomainId = 50, cudaDevAttrTexturePitchAlignment, cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor, cudaDevAttrStreamPrioritiesSupported = 78, cudaDevAttrGlobalL1CacheSupported,
    cudaDevAttrLocalL1CacheSupported, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxRegistersPerMultiprocessor, cudaDevAttrManagedMemory, cudaDevAttrIsMultiGpuBoard,
    cudaDevAttrMultiGpuBoardGroupID, cudaDevAttrHostNativeAtomicSupported, cudaDevAttrSingleToDoublePrecisionPerfRatio,
    cudaDevAttrPageableMemoryAccess, cudaDevAttrConcurrentManagedAccess, cudaDevAttrComputePreemptionSupported,
    cudaDevAttrCanUseHostPointerForRegisteredMem, cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrCooperativeMultiDeviceLaunch, cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrCanFlushRemoteWrites,
    cudaDevAttrHostRegisterSupported, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
    cudaDevAttrDirectManagedMemAccessFromHost, cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMaxPersistingL2CacheSize = 108, cudaDevAttrMaxAccessPolicyWindowSize,
    cudaDevAttrReservedSharedMemoryPerBlock = 111, cudaDevAttrSparseCudaArraySupported,
    cudaDevAttrHostRegisterReadOnlySupported, cudaDevAttrTimelineSemaphoreInteropSupported,
    cudaDevAttrMemoryPoolsSupported, cudaDevAttrGPUDirectRDMASupported, cudaDevAttrGPUDirectRDMAFlushWritesOptions,
    cudaDevAttrGPUDirectRDMAWritesOrdering, cudaDevAttrMemoryPoolSupportedHandleTypes, cudaDevAttrClusterLaunch
};
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes; };
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, maxThreadsPerMultiProcessor, regsPerMultiprocessor;
    int managedMemory, concurrentManagedAccess, cooperativeLaunch, maxBlocksPerMultiProcessor;
    size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3], tccDriver;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeMultiDeviceLaunch, pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost, persistingL2CacheMaxSize, accessPolicyMaxWindowSize, memoryPoolsSupported;
    int hostRegisterSupported, clusterLaunch;
    size_t surfaceAlignment, texturePitchAlignment, reservedSharedMemPerBlock;
};
#define cudaHostAllocDefault 0
#define cudaHostAllocPortable 1
#define cudaHostAllocMapped 2
#define cudaHostAllocWriteCombined 4
#define cudaMemAttachGlobal 1
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventBlockingSync 1
#define cudaEventDisableTiming 2
#define cudaCpuDeviceId (-1)
#define cudaDeviceScheduleAuto 0
#define cudaDeviceScheduleSpin 1
#define cudaDeviceScheduleYield 2
#define cudaDeviceScheduleBlockingSync 4
#define cudaDeviceBlockingSync 4
#define cudaEventInterprocess 4
#define cudaInvalidDeviceId (-2)
#define cudaDeviceMapHost 8
extern "C" {
int __lw_context(int device);
int __lw_kernel(const void *kernel, void **function);
int __lw_symbol(const void *symbol, void **address, size_t *bytes);
void *__lw_lent_symbol(const void *symbol);
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int room, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuCtxSynchronize();
int cuMemAlloc_v2(void **to, size_t bytes);
int cuMemFree_v2(void *memory);
int cuMemAllocManaged(void **to, size_t bytes, unsigned flags);
int cuMemHostGetDevicePointer_v2(void **to, void *memory, unsigned flags);
int cuMemPrefetchAsync(const void *memory, size_t bytes, int device, cudaStream_t stream);
int cuMemHostAlloc(void **to, size_t bytes, unsigned flags);
int cuMemFreeHost(void *memory);
int cuMemGetInfo_v2(size_t *free, size_t *total);
int cuMemAllocAsync(void **to, size_t bytes, cudaStream_t stream);
int cuMemFreeAsync(void *memory, cudaStream_t stream);
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, cudaStream_t stream);
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, cudaStream_t stream);
int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, cudaStream_t stream);
int cuMemAllocPitch_v2(void **to, size_t *pitch, size_t width, size_t height, unsigned element);
int cuMemcpy3DAsync_v2(const struct __lw_copy3 *copy, cudaStream_t stream);
int cuMemsetD8Async(void *to, unsigned char byte, size_t bytes, cudaStream_t stream);
int __lw_is_device(const void *memory);
void __lw_refusal(const char *why, const char *help, int status);
void __lw_launch_failed(const void *kernel, int status);
int __lw_open_device();
int __lw_close_device();
int cuStreamCreate(cudaStream_t *to, unsigned flags);
int cuStreamDestroy_v2(cudaStream_t stream);
int cuStreamSynchronize(cudaStream_t stream);
int cuStreamQuery(cudaStream_t stream);
int cuLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data);
int cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
int cuEventCreate(cudaEvent_t *to, unsigned flags);
int cuEventDestroy_v2(cudaEvent_t event);
int cuEventRecord(cudaEvent_t event, cudaStream_t stream);
int cuEventSynchronize(cudaEvent_t event);
int cuEventQuery(cudaEvent_t event);
int cuEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, cudaStream_t stream, void **arguments, void **extra);
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, cudaStream_t stream, void **arguments);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared);
}
inline int __lw_last_error, __lw_device;
// Whether a launch failed since the program last asked for an error.
inline bool __lw_unseen;
inline void __lw_seen() {
    if (__lw_unseen) { __lw_unseen = false; __lw_launch_failed(nullptr, 0); }
}
inline bool __lw_ready[64];
inline cudaError_t __lw_done(int status) {
    if (status != 0 && status != 600) __lw_last_error = status;
    return (cudaError_t)status;
}
// A call that the runtime refuses without a call of the driver: a check reports it.
inline cudaError_t __lw_refused(int status, const char *why, const char *help) {
    __lw_refusal(why, help, status);
    return __lw_done(status);
}
inline int __lw_begin() {
    if (__lw_ready[__lw_device]) return 0;
    int status = __lw_context(__lw_device);
    if (status == 0) __lw_ready[__lw_device] = true;
    return status;
}
inline void *__lw_managed(const void *symbol) {
    void *at = __lw_begin() == 0 ? __lw_lent_symbol(symbol) : nullptr;
    if (!at) __lw_fault("a managed variable has no memory: the module was not loaded");
    return at;
}
// Host code may access device memory while such an object exists.
struct __lw_device_access {
    __lw_device_access() { if (__lw_begin() == 0) __lw_open_device(); }
    ~__lw_device_access() { if (__lw_begin() == 0) __lw_close_device(); }
};
#define __LW_CALL(call) int status = __lw_begin(); if (status == 0) status = call; return __lw_done(status)
inline void __lw_launch(const void *kernel, void **arguments, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
    void *function;
    int status = __lw_begin();
    if (status == 0) status = __lw_kernel(kernel, &function);
    if (status == 0) {
        status = cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, arguments, nullptr);
    }
    // Faults of earlier kernels, which have other codes from 700 on, are reported by themselves.
    if (status != 0 && (status < 700 || status == 701 || status == 720)) { __lw_unseen = true; __lw_launch_failed(kernel, status); }
    __lw_done(status);
}
template <class F> inline cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr) {
    int before = __lw_last_error;
    __lw_last_error = 0;
    __lw_launch((const void *)kernel, arguments, grid, block, shared, stream);
    int now = __lw_last_error;
    if (now == 0) __lw_last_error = before;
    __lw_seen();
    return (cudaError_t)now;
}
template <class F> inline cudaError_t cudaLaunchCooperativeKernel(F *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr) {
    void *function;
    int status = __lw_begin();
    if (status == 0) status = __lw_kernel((const void *)kernel, &function);
    if (status == 0) status = cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, arguments);
    return __lw_done(status);
}
inline cudaError_t cudaPeekAtLastError() { __lw_seen(); return (cudaError_t)__lw_last_error; }
inline cudaError_t cudaGetLastError() { __lw_seen(); int error = __lw_last_error; __lw_last_error = 0; return (cudaError_t)error; }
template <class T> inline cudaError_t cudaMalloc(T **to, size_t bytes) {
    if (bytes == 0) { *to = nullptr; return cudaSuccess; }
    __LW_CALL(cuMemAlloc_v2((void **)to, bytes));
}
template <class T> inline cudaError_t cudaMallocManaged(T **to, size_t bytes, unsigned flags = 1) {
    if (bytes == 0) { *to = nullptr; return cudaSuccess; }
    __LW_CALL(cuMemAllocManaged((void **)to, bytes, flags));
}
template <class T> inline cudaError_t cudaMallocHost(T **to, size_t bytes, unsigned flags = 0) { __LW_CALL(cuMemHostAlloc((void **)to, bytes, flags)); }
template <class T> inline cudaError_t cudaHostAlloc(T **to, size_t bytes, unsigned flags) { __LW_CALL(cuMemHostAlloc((void **)to, bytes, flags)); }
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **to, void *memory, unsigned flags) { __LW_CALL(cuMemHostGetDevicePointer_v2((void **)to, memory, flags)); }
template <class T> inline cudaError_t cudaMallocAsync(T **to, size_t bytes, cudaStream_t stream) {
    if (bytes == 0) { *to = nullptr; return cudaSuccess; }
    __LW_CALL(cuMemAllocAsync((void **)to, bytes, stream));
}
template <class T> inline cudaError_t cudaMallocPitch(T **to, size_t *pitch, size_t width, size_t height) {
    if (width == 0 || height == 0) { *to = nullptr; *pitch = 0; return cudaSuccess; }
    __LW_CALL(cuMemAllocPitch_v2((void **)to, pitch, width, height, 4));
}
inline cudaError_t cudaFree(void *memory) {
    int status = __lw_begin();
    if (status == 0 && memory) status = cuMemFree_v2(memory);
    return __lw_done(status);
}
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
    int status = __lw_begin();
    if (status == 0 && memory) status = cuMemFreeAsync(memory, stream);
    return __lw_done(status);
}
inline cudaError_t cudaFreeHost(void *memory) { __LW_CALL(cuMemFreeHost(memory)); }
inline cudaError_t cudaMemGetInfo(size_t *free, size_t *total) { __LW_CALL(cuMemGetInfo_v2(free, total)); }
// Refuses a copy whose direction contradicts its addresses; 0 if there is nothing to refuse.
inline int __lw_direction(void *to, const void *from, cudaMemcpyKind kind) {
    bool to_device = __lw_is_device(to), from_device = __lw_is_device(from);
    if (kind == cudaMemcpyHostToDevice && from_device && !to_device)
        return __lw_refused(1, "cudaMemcpy: the direction is `cudaMemcpyHostToDevice`, but the source is memory of the device and the target is not", "pass `cudaMemcpyDeviceToHost`, or exchange the pointers: the target comes first");
    if (kind == cudaMemcpyDeviceToHost && to_device && !from_device)
        return __lw_refused(1, "cudaMemcpy: the direction is `cudaMemcpyDeviceToHost`, but the target is memory of the device and the source is not", "pass `cudaMemcpyHostToDevice`, or exchange the pointers: the target comes first");
    void *at;
    size_t size;
    if (kind == cudaMemcpyHostToDevice && !to_device && __lw_symbol(to, &at, &size) == 0)
        return __lw_refused(1, "cudaMemcpy: the target is a variable of the device, whose address the host does not have", "use `cudaMemcpyToSymbol(variable, source, bytes)`");
    if (kind == cudaMemcpyDeviceToHost && !from_device && __lw_symbol(from, &at, &size) == 0)
        return __lw_refused(1, "cudaMemcpy: the source is a variable of the device, whose address the host does not have", "use `cudaMemcpyFromSymbol(target, variable, bytes)`");
    return 0;
}
inline int __lw_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    if (!to || !from) return __lw_refused(1, "cudaMemcpy: a pointer is null", "allocate the memory before the copy");
    if (kind == cudaMemcpyDefault)
        kind = (cudaMemcpyKind)((__lw_is_device(from) ? 2 : 0) + (__lw_is_device(to) ? 1 : 0));
    // With both sides on the device the driver finds the direction.
    if (kind == cudaMemcpyHostToDevice && __lw_is_device(from) && __lw_is_device(to)) kind = cudaMemcpyDeviceToDevice;
    int refused = __lw_direction(to, from, kind);
    if (refused != 0) return refused;
    switch (kind) {
    case cudaMemcpyHostToDevice: return cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
    case cudaMemcpyDeviceToHost: return cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
    case cudaMemcpyDeviceToDevice: return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
    case cudaMemcpyHostToHost: memmove(to, from, bytes); return 0;
    default: return __lw_refused(21, "cudaMemcpy: the direction is none of `cudaMemcpyKind`", "pass a value of `cudaMemcpyKind`");
    }
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind = cudaMemcpyDefault, cudaStream_t stream = nullptr) {
    __LW_CALL(bytes == 0 ? 0 : __lw_copy(to, from, bytes, kind, stream));
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind = cudaMemcpyDefault) {
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    return error == cudaSuccess ? __lw_done(cuStreamSynchronize(nullptr)) : error;
}
// The driver's description of a copy of rows.
struct cudaArray;
struct __lw_side {
    size_t x, y, z, level;
    unsigned kind, padding;
    const void *host, *device;
    struct cudaArray *array;
    void *reserved;
    size_t pitch, height;
};
struct __lw_copy3 { __lw_side from, to; size_t width, height, depth; };
// One side of a copy: memory on the host or on the device, as the kind of copy says, else as the address tells.
inline void __lw_memory(__lw_side &side, const void *memory, size_t pitch, size_t height, bool device) {
    side.kind = device ? 2 : 1;
    (device ? side.device : side.host) = memory;
    side.pitch = pitch;
    side.height = height;
}
inline bool __lw_side_is_device(const void *memory, cudaMemcpyKind kind, bool target) {
    if (kind == cudaMemcpyDefault) return __lw_is_device(memory);
    return kind == cudaMemcpyDeviceToDevice || kind == (target ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}
inline cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    if (width == 0 || height == 0) return __lw_done(__lw_begin());
    if (width > toPitch || width > fromPitch)
        return __lw_refused(12, "cudaMemcpy2D: a row is wider than a pitch", "give width and pitches in bytes, with the pitch of `cudaMallocPitch` for its memory");
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return __lw_refused(21, "cudaMemcpy2D: the direction is none of `cudaMemcpyKind`", "pass a value of `cudaMemcpyKind`");
    __lw_copy3 copy;
    memset(&copy, 0, sizeof(copy));
    copy.width = width; copy.height = height; copy.depth = 1;
    int status = __lw_begin();
    __lw_memory(copy.from, from, fromPitch, height, __lw_side_is_device(from, kind, false));
    __lw_memory(copy.to, to, toPitch, height, __lw_side_is_device(to, kind, true));
    if (status == 0) status = cuMemcpy3DAsync_v2(&copy, stream);
    return __lw_done(status);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind) {
    cudaError_t error = cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind);
    return error == cudaSuccess ? __lw_done(cuStreamSynchronize(nullptr)) : error;
}
inline cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream = nullptr) {
    __LW_CALL(bytes == 0 ? 0 : cuMemsetD8Async(to, (unsigned char)byte, bytes, stream));
}
inline cudaError_t cudaMemset(void *to, int byte, size_t bytes) { return cudaMemsetAsync(to, byte, bytes); }
inline cudaError_t cudaMemset2D(void *to, size_t pitch, int byte, size_t width, size_t height) {
    if (width > pitch && height > 1)
        return __lw_refused(1, "cudaMemset2D: a row is wider than the pitch", "give width and pitch in bytes, with the pitch of `cudaMallocPitch` for its memory");
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = cudaMemset((char *)to + row * pitch, byte, width);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int device, cudaStream_t stream = nullptr) { __LW_CALL(cuMemPrefetchAsync(memory, bytes, device, stream)); }
template <class T> inline cudaError_t cudaGetSymbolAddress(void **to, const T &symbol) { size_t bytes; __LW_CALL(__lw_symbol((const void *)&symbol, to, &bytes)); }
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *to, const T &symbol) { void *at; __LW_CALL(__lw_symbol((const void *)&symbol, &at, to)); }
template <class T> inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    return error == cudaSuccess ? cudaMemcpyAsync((char *)at + offset, from, bytes, kind, stream) : error;
}
template <class T> inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    return error == cudaSuccess ? cudaMemcpyAsync(to, (const char *)at + offset, bytes, kind, stream) : error;
}
inline cudaError_t __lw_symbol_kind(cudaMemcpyKind kind, cudaMemcpyKind other) {
    return kind == other || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ? cudaSuccess
        : __lw_refused(21, "the direction does not fit a copy to or from a variable on the device", "pass `cudaMemcpyHostToDevice` to `cudaMemcpyToSymbol`, and `cudaMemcpyDeviceToHost` to `cudaMemcpyFromSymbol`");
}
template <class T> inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    if (__lw_symbol_kind(kind, cudaMemcpyHostToDevice) != cudaSuccess) return cudaErrorInvalidMemcpyDirection;
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    return error == cudaSuccess ? cudaMemcpy((char *)at + offset, from, bytes, kind) : error;
}
template <class T> inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    if (__lw_symbol_kind(kind, cudaMemcpyDeviceToHost) != cudaSuccess) return cudaErrorInvalidMemcpyDirection;
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    return error == cudaSuccess ? cudaMemcpy(to, (const char *)at + offset, bytes, kind) : error;
}
inline cudaError_t cudaDeviceSynchronize() { __LW_CALL(cuCtxSynchronize()); }
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaGetDeviceCount(int *count) { int status = cuInit(0); if (status == 0) status = cuDeviceGetCount(count); else *count = 0; return __lw_done(status); }
inline cudaError_t cudaGetDevice(int *device) { *device = __lw_device; return cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) return error;
    if (device < 0 || device >= count) return __lw_done(101);
    __lw_device = device;
    return __lw_done(__lw_context(device));
}
inline cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaSetDeviceFlags(unsigned flags) { return flags > 255 ? __lw_refused(1, "cudaSetDeviceFlags: there is no such flag", "pass flags of `cudaDeviceSchedule...`, `cudaDeviceMapHost` and the like") : cudaSuccess; }
// The emulator does not model the choice.
inline cudaError_t __lw_cache(cudaFuncCache choice) { return choice < 0 || choice > 3 ? __lw_refused(1, "the cache configuration is none of `cudaFuncCache`", "pass a value of `cudaFuncCache`") : cudaSuccess; }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache choice) { return __lw_cache(choice); }
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaThreadExit() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) { __LW_CALL(cuDeviceGetAttribute(value, attribute, device)); }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *to, int device) {
    memset(to, 0, sizeof(*to));
    int status = __lw_begin();
    if (status == 0) status = cuDeviceGetName(to->name, 256, device);
    if (status != 0) return __lw_done(status);
    cuDeviceTotalMem_v2(&to->totalGlobalMem, device);
    int value = 0;
#define __LW_GET(member, attribute) cuDeviceGetAttribute(&value, attribute, device); to->member = value
    __LW_GET(sharedMemPerBlock, 8); __LW_GET(regsPerBlock, 12); __LW_GET(warpSize, 10); __LW_GET(memPitch, 11);
    __LW_GET(maxThreadsPerBlock, 1); __LW_GET(maxThreadsDim[0], 2); __LW_GET(maxThreadsDim[1], 3);
    __LW_GET(maxThreadsDim[2], 4); __LW_GET(maxGridSize[0], 5); __LW_GET(maxGridSize[1], 6);
    __LW_GET(maxGridSize[2], 7); __LW_GET(clockRate, 13); __LW_GET(totalConstMem, 9); __LW_GET(major, 75);
    __LW_GET(minor, 76); __LW_GET(textureAlignment, 14); __LW_GET(deviceOverlap, 15);
    __LW_GET(multiProcessorCount, 16); __LW_GET(integrated, 18); __LW_GET(canMapHostMemory, 19);
    __LW_GET(concurrentKernels, 31); __LW_GET(ECCEnabled, 32); __LW_GET(pciBusID, 33); __LW_GET(pciDeviceID, 34);
    __LW_GET(asyncEngineCount, 40); __LW_GET(unifiedAddressing, 41); __LW_GET(memoryClockRate, 36);
    __LW_GET(memoryBusWidth, 37); __LW_GET(l2CacheSize, 38); __LW_GET(maxThreadsPerMultiProcessor, 39);
    __LW_GET(regsPerMultiprocessor, 82); __LW_GET(managedMemory, 83); __LW_GET(concurrentManagedAccess, 89);
    __LW_GET(cooperativeLaunch, 95); __LW_GET(maxBlocksPerMultiProcessor, 106);
    __LW_GET(sharedMemPerMultiprocessor, 81); __LW_GET(sharedMemPerBlockOptin, 97);
    __LW_GET(maxTexture1D, 21); __LW_GET(maxTexture2D[0], 22); __LW_GET(maxTexture2D[1], 23); __LW_GET(maxTexture3D[0], 24);
    __LW_GET(maxTexture3D[1], 25); __LW_GET(maxTexture3D[2], 26); __LW_GET(maxTexture2DLayered[0], 27);
    __LW_GET(maxTexture2DLayered[1], 28); __LW_GET(maxTexture2DLayered[2], 29); __LW_GET(surfaceAlignment, 30);
    __LW_GET(tccDriver, 35); __LW_GET(maxTexture1DLayered[0], 42); __LW_GET(maxTexture1DLayered[1], 43);
    __LW_GET(pciDomainID, 50); __LW_GET(texturePitchAlignment, 51); __LW_GET(streamPrioritiesSupported, 78);
    __LW_GET(globalL1CacheSupported, 79); __LW_GET(localL1CacheSupported, 80); __LW_GET(isMultiGpuBoard, 84);
    __LW_GET(multiGpuBoardGroupID, 85); __LW_GET(hostNativeAtomicSupported, 86);
    __LW_GET(singleToDoublePrecisionPerfRatio, 87); __LW_GET(pageableMemoryAccess, 88);
    __LW_GET(computePreemptionSupported, 90); __LW_GET(canUseHostPointerForRegisteredMem, 91);
    __LW_GET(hostRegisterSupported, 99); __LW_GET(pageableMemoryAccessUsesHostPageTables, 100);
    __LW_GET(directManagedMemAccessFromHost, 101); __LW_GET(persistingL2CacheMaxSize, 108);
    __LW_GET(accessPolicyMaxWindowSize, 109); __LW_GET(reservedSharedMemPerBlock, 111); __LW_GET(memoryPoolsSupported, 115);
    __LW_GET(clusterLaunch, 120); __LW_GET(kernelExecTimeoutEnabled, 17); __LW_GET(computeMode, 20);
#undef __LW_GET
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int *version) { *version = 13000; return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int *version) { *version = 12080; return cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t *to) { __LW_CALL(cuStreamCreate(to, 0)); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *to, unsigned flags) { __LW_CALL(cuStreamCreate(to, flags)); }
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { __LW_CALL(cuStreamDestroy_v2(stream)); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) { __LW_CALL(cuStreamSynchronize(stream)); }
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { __LW_CALL(cuStreamQuery(stream)); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) { __LW_CALL(cuStreamWaitEvent(stream, event, flags)); }
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data) {
    if (!function) return __lw_refused(1, "cudaLaunchHostFunc: the function is null", "pass a function of the host");
    __LW_CALL(cuLaunchHostFunc(stream, function, data));
}
// Callbacks run immediately, after the stream's work is complete. The driver refuses calls in them.
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, void (*function)(cudaStream_t, cudaError_t, void *), void *data, unsigned) {
    if (!function) return __lw_refused(1, "cudaStreamAddCallback: the function is null", "pass a function of the host");
    cudaError_t error = cudaStreamSynchronize(stream);
    __lw_host_function inside(1);
    function(stream, error, data);
    return error;
}
typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
inline cudaError_t cudaEventCreate(cudaEvent_t *to) { __LW_CALL(cuEventCreate(to, 0)); }
inline cudaError_t cudaEventCreate(cudaEvent_t *to, unsigned flags) { __LW_CALL(cuEventCreate(to, flags)); }
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0) {
    if (flags > 1) return __lw_refused(1, "cudaEventRecordWithFlags: there is no such flag", "pass `cudaEventRecordDefault` or `cudaEventRecordExternal`");
    __LW_CALL(cuEventRecord(event, stream));
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *to, unsigned flags) { __LW_CALL(cuEventCreate(to, flags)); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { __LW_CALL(cuEventDestroy_v2(event)); }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) { __LW_CALL(cuEventRecord(event, stream)); }
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) { __LW_CALL(cuEventSynchronize(event)); }
inline cudaError_t cudaEventQuery(cudaEvent_t event) { __LW_CALL(cuEventQuery(event)); }
inline cudaError_t cudaEventElapsedTime(float *to, cudaEvent_t start, cudaEvent_t end) { __LW_CALL(cuEventElapsedTime(to, start, end)); }
template <class F> inline cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attribute, int value) {
    void *function;
    int status = __lw_begin();
    if (status == 0) status = __lw_kernel((const void *)kernel, &function);
    if (status == 0) status = cuFuncSetAttribute(function, attribute, value);
    return __lw_done(status);
}
template <class F> inline cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache choice) { return __lw_cache(choice); }
template <class F> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to, F *kernel) {
    void *function;
    int status = __lw_begin(), value = 0;
    if (status == 0) status = __lw_kernel((const void *)kernel, &function);
    if (status != 0) return __lw_done(status);
    cuFuncGetAttribute(&value, 0, function); to->maxThreadsPerBlock = value;
    cuFuncGetAttribute(&value, 1, function); to->sharedSizeBytes = value;
    cuFuncGetAttribute(&value, 2, function); to->constSizeBytes = value;
    cuFuncGetAttribute(&value, 3, function); to->localSizeBytes = value;
    cuFuncGetAttribute(&value, 4, function); to->numRegs = value;
    return cudaSuccess;
}
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *kernel, int threads, size_t shared) {
    void *function;
    int status = __lw_begin();
    if (status == 0) status = __lw_kernel((const void *)kernel, &function);
    if (status == 0) status = cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
    return __lw_done(status);
}
template <class F> inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F *kernel, size_t shared = 0, int limit = 0) {
    int best = 0, multiprocessors = 1;
    for (int threads = limit > 0 ? limit : 1024; threads >= 32; threads -= 32) {
        int blocks = 0;
        cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
        if (error != cudaSuccess) return error;
        if (blocks * threads > best) { best = blocks * threads; *block = threads; *grid = blocks; }
    }
    cuDeviceGetAttribute(&multiprocessors, 16, __lw_device);
    *grid *= multiprocessors;
    return cudaSuccess;
}
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
inline int fpclassify(double v) {
    if (v != v) return FP_NAN;
    double size = v < 0 ? -v : v;
    return size == 0 ? FP_ZERO : size > DBL_MAX ? FP_INFINITE : size < DBL_MIN ? FP_SUBNORMAL : FP_NORMAL;
}
inline int fpclassify(float v) { float size = v < 0 ? -v : v; return size != 0 && size < FLT_MIN ? FP_SUBNORMAL : fpclassify((double)v); }
inline bool isnormal(double v) { return fpclassify(v) == FP_NORMAL; }
inline bool isnormal(float v) { return fpclassify(v) == FP_NORMAL; }
namespace std { using ::fpclassify; using ::isnormal; }
// GCC's built-in functions on bits.
inline int __builtin_popcountll(unsigned long long bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return (int)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}
inline int __builtin_ctzll(unsigned long long bits) { return __builtin_popcountll((bits & -bits) - 1); }
inline int __builtin_clzll(unsigned long long bits) {
    for (int step = 1; step < 64; step *= 2) bits |= bits >> step;
    return 64 - __builtin_popcountll(bits);
}
inline int __builtin_popcount(unsigned bits) { return __builtin_popcountll(bits); }
inline int __builtin_popcountl(unsigned long bits) { return __builtin_popcountll(bits); }
inline int __builtin_ctz(unsigned bits) { return __builtin_ctzll(bits); }
inline int __builtin_ctzl(unsigned long bits) { return __builtin_ctzll(bits); }
inline int __builtin_clz(unsigned bits) { return __builtin_clzll(bits) - 32; }
inline int __builtin_clzl(unsigned long bits) { return __builtin_clzll(bits); }
inline int __builtin_ffsll(long long bits) { return bits ? __builtin_ctzll(bits) + 1 : 0; }
inline int __builtin_ffsl(long bits) { return __builtin_ffsll(bits); }
inline int __builtin_ffs(int bits) { return __builtin_ffsll((unsigned)bits); }
inline int __builtin_parity(unsigned bits) { return __builtin_popcountll(bits) & 1; }
inline int __builtin_parityll(unsigned long long bits) { return __builtin_popcountll(bits) & 1; }
inline unsigned short __builtin_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
inline unsigned __builtin_bswap32(unsigned x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }
inline unsigned long __builtin_bswap64(unsigned long x) { return (unsigned long)__builtin_bswap32((unsigned)x) << 32 | __builtin_bswap32((unsigned)(x >> 32)); }
// GCC's built-in atomics. Kernels may change the same memory meanwhile.
template <class T> inline T __lw_compare_exchange(volatile T *at, T old, T value) {
    return (T)__lw_exchange_if((void *)at, (unsigned long)old, (unsigned long)value, sizeof(T));
}
#define __LW_SYNC(BEFORE, AFTER, OPERATION)                                                                           \
    template <class T, class V> inline T BEFORE(volatile T *at, V value) {                                                     \
        for (T old = *at;;) {                                                                                         \
            T found = __lw_compare_exchange(at, old, (T)(OPERATION));                                                 \
            if (found == old) return old;                                                                             \
            old = found;                                                                                              \
        }                                                                                                             \
    }                                                                                                                 \
    template <class T, class V> inline T AFTER(volatile T *at, V value) { T old = BEFORE(at, value); return (T)(OPERATION); }
__LW_SYNC(__sync_fetch_and_add, __sync_add_and_fetch, old + (T)value)
__LW_SYNC(__sync_fetch_and_sub, __sync_sub_and_fetch, old - (T)value)
__LW_SYNC(__sync_fetch_and_or, __sync_or_and_fetch, old | (T)value)
__LW_SYNC(__sync_fetch_and_and, __sync_and_and_fetch, old & (T)value)
__LW_SYNC(__sync_fetch_and_xor, __sync_xor_and_fetch, old ^ (T)value)
__LW_SYNC(__sync_lock_test_and_set, __lw_set_and_fetch, (T)value + 0 * old)
#undef __LW_SYNC
template <class T> inline void __sync_lock_release(volatile T *at) { *at = 0; }
template <class T, class A, class B> inline T __sync_val_compare_and_swap(volatile T *at, A expected, B value) { return __lw_compare_exchange(at, (T)expected, (T)value); }
template <class T, class A, class B> inline bool __sync_bool_compare_and_swap(volatile T *at, A expected, B value) { return __sync_val_compare_and_swap(at, expected, value) == (T)expected; }
inline void __sync_synchronize() {}
