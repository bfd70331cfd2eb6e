/* Expectations of the C tests: a condition, or a status with part of its message. */
#include <lanework.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                    \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "%s:%d: %s; the last error: %s\n", __FILE__, __LINE__, #condition, \
                    lanework_last_error());                                                  \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)
#define SAYS(status, expected, words) \
    EXPECT((status) == (expected) && strstr(lanework_last_error(), words))
