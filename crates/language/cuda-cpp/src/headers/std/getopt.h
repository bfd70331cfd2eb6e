// <getopt.h> and <unistd.h>: options of command lines.
#include <fcntl.h>
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
// Files can be opened or not; who may write them is not known.
inline int access(const char *name, int) {
    FILE *file = fopen(name, "r");
    if (!file) return -1;
    fclose(file);
    return 0;
}
struct option { const char *name; int has_arg; int *flag; int val; };
#define no_argument 0
#define required_argument 1
#define optional_argument 2
inline char *optarg;
inline int optind = 1, opterr = 1, optopt, __lw_option_at;
inline int __lw_others;
// Moves arguments that are not options to the end, as GNU's `getopt` does.
inline void __lw_next_option(int argc, char **argv) {
    while (optind < argc - __lw_others && (argv[optind][0] != '-' || !argv[optind][1])) {
        char *held = argv[optind];
        for (int i = optind; i + 1 < argc; i++) argv[i] = argv[i + 1];
        argv[argc - 1] = held;
        __lw_others++;
    }
}
inline int getopt_long(int argc, char *const *list, const char *letters, const option *options, int *index) {
    char **argv = (char **)list;
    optarg = nullptr;
    if (__lw_option_at == 0) {
        __lw_next_option(argc, argv);
        if (optind >= argc - __lw_others) return -1;
        if (strcmp(argv[optind], "--") == 0) { optind++; return -1; }
        if (argv[optind][1] == '-' && options) {
            const char *text = argv[optind++] + 2, *end = strchr(text, '=');
            size_t length = end ? end - text : strlen(text);
            const option *found = nullptr;
            int at = 0, place = 0;
            for (const option *o = options; o->name; o++, at++) {
                if (strncmp(o->name, text, length) != 0) continue;
                if (!found || strlen(o->name) == length) { found = o; place = at; }
            }
            if (!found) {
                if (opterr) fprintf(stderr, "%s: unrecognized option '--%s'\n", argv[0], text);
                return '?';
            }
            if (index) *index = place;
            if (end) optarg = (char *)end + 1;
            else if (found->has_arg == required_argument) {
                if (optind >= argc) {
                    if (opterr) fprintf(stderr, "%s: option '--%s' requires an argument\n", argv[0], found->name);
                    return letters[0] == ':' ? ':' : '?';
                }
                optarg = argv[optind++];
            }
            if (!found->flag) return found->val;
            *found->flag = found->val;
            return 0;
        }
        __lw_option_at = 1;
    }
    char letter = argv[optind][__lw_option_at++];
    const char *known = letter == ':' ? nullptr : strchr(letters, letter);
    bool last = argv[optind][__lw_option_at] == 0;
    if (!known) {
        optopt = letter;
        if (last) { optind++; __lw_option_at = 0; }
        if (opterr) fprintf(stderr, "%s: invalid option -- '%c'\n", argv[0], letter);
        return '?';
    }
    if (known[1] != ':') {
        if (last) { optind++; __lw_option_at = 0; }
        return letter;
    }
    char *rest = argv[optind] + __lw_option_at;
    optind++;
    __lw_option_at = 0;
    if (!last) optarg = rest;
    else if (known[2] != ':') {
        if (optind >= argc) {
            optopt = letter;
            if (opterr) fprintf(stderr, "%s: option requires an argument -- '%c'\n", argv[0], letter);
            return letters[0] == ':' ? ':' : '?';
        }
        optarg = argv[optind++];
    }
    return letter;
}
inline int getopt_long_only(int argc, char *const *argv, const char *letters, const option *options, int *index) {
    // A single `-` also starts the name of an option.
    if (optind < 1) optind = 1;
    if (optind < argc && argv[optind][0] == '-' && argv[optind][1] != '-' && argv[optind][1] != 0) {
        const char *name = argv[optind] + 1;
        size_t length = 0;
        while (name[length] && name[length] != '=') length++;
        for (const option *o = options; o && o->name; o++)
            if (strncmp(o->name, name, length) == 0 && (length > 1 || o->name[1] == 0)) {
                char *whole = (char *)malloc(strlen(name) + 3);
                strcpy(whole, "--");
                strcat(whole, name);
                char **changed = (char **)malloc((argc + 1) * sizeof(char *));
                for (int i = 0; i < argc; i++) changed[i] = argv[i];
                changed[optind] = whole;
                changed[argc] = nullptr;
                return getopt_long(argc, changed, letters, options, index);
            }
    }
    return getopt_long(argc, argv, letters, options, index);
}
inline int getopt(int argc, char *const *argv, const char *letters) { return getopt_long(argc, argv, letters, nullptr, nullptr); }
