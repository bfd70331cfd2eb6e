/*
 * lanework.h: run CUDA kernels from C, on an emulated GPU or on a real one.
 *
 *     lanework_device device;
 *     lanework_module module;
 *     float x[1000], y[1000], a = 2.0f;
 *     uint32_t n = 1000;
 *     float *px = x, *py = y;
 *     const void *arguments[] = {&a, &px, &py, &n};
 *     lanework_shape shape = {{4, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0};
 *
 *     if (lanework_device_open("host", NULL, &device) ||
 *         lanework_module_load(device, ptx, 0, &module) ||
 *         lanework_launch(module, "saxpy", &shape, arguments, 4, NULL))
 *         fprintf(stderr, "%s\n", lanework_last_error());
 *
 * Every function that returns lanework_status gives LANEWORK_OK, which is 0, or says what went wrong:
 * for the program by the status, for people by lanework_last_error(). None of them throws, unwinds
 * or ends the process, whatever PTX it is given, with one exception: a kernel on a device named "host"
 * uses the addresses it is given (see lanework_device_open).
 *
 * Functions may be called from any thread, and launches run side by side. Devices and modules are
 * numbers: one that was closed, or never was, is LANEWORK_BAD_ARGUMENT. Pointers must be NULL, which
 * is an error where nothing else is said, or good for what the function does with them.
 *
 * Link with -llanework_c.
 */
#ifndef LANEWORK_H
#define LANEWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compare with lanework_abi_version(): the library and this header fit when the two are equal. */
#define LANEWORK_ABI_VERSION 1

typedef enum lanework_status {
    LANEWORK_OK = 0,
    LANEWORK_BAD_ARGUMENT = 1, /* an argument that cannot be */
    LANEWORK_NO_DEVICE = 2,    /* there is no such device here */
    LANEWORK_BAD_PTX = 3,      /* the text is not PTX; line, column and caret in the message */
    LANEWORK_UNSUPPORTED = 4,  /* something that the emulator does not know, by name and line */
    LANEWORK_NO_MEMORY = 5,    /* the device or the host has not enough memory */
    LANEWORK_REFUSED = 6,      /* a launch that exceeds the device's or the kernel's limits */
    LANEWORK_FAULT = 7,        /* the kernel went wrong while it ran; memory holds what it wrote */
    LANEWORK_DRIVER = 8,       /* the CUDA driver reports an error */
    LANEWORK_INTERNAL = 9      /* a bug in Lanework */
} lanework_status;

/* A device, and a module loaded on one. 0 is no module; as a device it is the one of ptx_run. */
typedef uint64_t lanework_device;
typedef uint64_t lanework_module;

/* How an emulator is made; 0 in a field takes the default. */
typedef struct lanework_options {
    size_t size;                 /* sizeof(lanework_options) */
    uint64_t max_instructions;   /* a warp that ran as many is stopped as stuck; 10^10 */
    uint64_t total_instructions; /* so is a launch whose warps together did; no limit */
    uint64_t time_limit_ms;      /* a launch is stopped after as many milliseconds; no limit */
    uint64_t memory_bytes;       /* device memory; 16 GiB, or half of what the host has free */
    uint32_t workers;            /* host threads that run blocks; one per core */
    uint32_t reserved;           /* 0 */
} lanework_options;

#define LANEWORK_OPTIONS_INIT {sizeof(lanework_options), 0, 0, 0, 0, 0, 0}

typedef struct lanework_info {
    size_t size; /* sizeof(lanework_info), set by the caller */
    char name[128];
    uint64_t memory_bytes;
    uint32_t compute_capability[2];
    uint32_t multiprocessors;
    uint32_t max_threads_per_block;
    uint32_t max_block[3];
    uint32_t max_grid[3];
    uint32_t shared_per_block[2]; /* static, and all together */
} lanework_info;

/* The shape of a launch, x first. */
typedef struct lanework_shape {
    uint32_t grid[3];        /* blocks */
    uint32_t block[3];       /* threads of a block */
    uint32_t cluster[3];     /* blocks of a cluster; zeros leave it to the kernel */
    uint32_t dynamic_shared; /* bytes per block */
} lanework_shape;

/* What a launch on an emulator executed; zeros on a GPU. */
typedef struct lanework_executed {
    uint64_t warp_instructions;
    uint64_t lane_instructions;
} lanework_executed;

/* The library's version, such as "0.1.0", and that of its binary interface. */
const char *lanework_version(void);
uint32_t lanework_abi_version(void);

/* What went wrong in this thread's last call that failed, in a few lines: what, where, why, what to
 * do. Never NULL; valid until this thread's next call that fails. */
const char *lanework_last_error(void);

/*
 * Opens a device:
 *   "emulator"  an emulated GPU with memory of its own. Every access of a kernel is checked against
 *               the buffers, to the byte: nothing that a kernel does harms the process.
 *   "host"      an emulated GPU whose addresses are the host's, so that kernels take the caller's own
 *               pointers. While something is registered (lanework_register), every access outside what
 *               is registered or allocated is LANEWORK_FAULT; use that for kernels that are not
 *               trusted. While nothing is, any address is used as it is: the kernel must keep to
 *               memory that is there, as C code must, or the process ends.
 *   "cuda:0"    a GPU by number, through its driver.
 *   "best"      the first GPU, or an emulator where there is none.
 * options is for emulators, and may be NULL.
 */
lanework_status lanework_device_open(const char *name, const lanework_options *options,
                                     lanework_device *device);

/* Closes a device; its modules and buffers are gone. */
lanework_status lanework_device_close(lanework_device device);

lanework_status lanework_device_info(lanework_device device, lanework_info *info);

/* Buffers. An address is what a kernel's pointer holds; on "host" it is the host's own. Copies must lie
 * in one buffer, anywhere in it. */
lanework_status lanework_alloc(lanework_device device, size_t bytes, uint64_t *address);
lanework_status lanework_free(lanework_device device, uint64_t address);
lanework_status lanework_copy_to_device(lanework_device device, uint64_t to, const void *from,
                                        size_t bytes);
lanework_status lanework_copy_to_host(lanework_device device, void *to, uint64_t from, size_t bytes);

/* Lets kernels on a "host" device, or with device 0 those of ptx_run, use `bytes` bytes at `start`,
 * and from then on nothing else. The bytes must stay there to be read and written until
 * lanework_unregister, which takes the same start. Ranges must not overlap. */
lanework_status lanework_register(lanework_device device, void *start, size_t bytes);
lanework_status lanework_unregister(lanework_device device, void *start);

/* Loads PTX text; `bytes` is its length, or 0 to read to its terminating zero byte. Entries with
 * something that the emulator does not know are refused when they are launched, and only when none
 * can run does loading fail. */
lanework_status lanework_module_load(lanework_device device, const char *ptx, size_t bytes,
                                     lanework_module *module);
lanework_status lanework_module_unload(lanework_module module);

/* The entries of a module, in the order of the text. `capacity` includes the terminating zero byte. */
lanework_status lanework_entry_count(lanework_module module, size_t *count);
lanework_status lanework_entry_name(lanework_module module, size_t index, char *name,
                                    size_t capacity);

/* Looks an entry up: the number of its parameters, and the size in bytes of the first `capacity` of
 * them. `sizes` may be NULL. An entry that is not there is LANEWORK_BAD_ARGUMENT, and the message lists
 * those that are. */
lanework_status lanework_entry_parameters(lanework_module module, const char *entry, size_t *sizes,
                                          size_t capacity, size_t *count);

/* Launches an entry and waits for it. As for cuLaunchKernel, arguments[i] points to the value of
 * parameter i, which has as many bytes as the PTX says; `count` must be the number of parameters. What
 * the kernel prints goes to standard output. `executed` may be NULL. */
lanework_status lanework_launch(lanework_module module, const char *entry,
                                const lanework_shape *shape, const void *const *arguments,
                                size_t count, lanework_executed *executed);

/*
 * gpuocelot's entry point, for programs written for that library: runs the module's first entry by
 * name. Unlike above, arguments[i] *is* the value of parameter i, an address of host memory or an
 * integer, and shapes are ints with the block first. Runs on device 0, which is always open and like
 * one named "host". The module is compiled once for each text; variables in global memory start anew
 * at every call, as there.
 *
 * gpuocelot declares it void; the status is here for those who want it, and a failure is also written
 * to standard error.
 */
lanework_status ptx_run(const char *source, int count, void *const *arguments, int block_x,
                        int block_y, int block_z, int grid_x, int grid_y, int grid_z,
                        int dynamic_shared);

#ifdef __cplusplus
}
#endif

#endif
