/*
 * lanework.h: run CUDA kernels from C, on an emulated GPU or on a real one.
 *
 *     lanework_device device;
 *     lanework_module module;
 *     float x[1000], y[1000], a = 2.0f;
 *     uint32_t n = 1000;
 *     float *px = x, *py = y;
 *     const void *arguments[] = {&a, &px, &py, &n};
 *     lanework_shape shape = {{4, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0, 0};
 *
 *     if (lanework_device_open("host", NULL, &device) ||
 *         lanework_module_load(device, ptx, 0, &module) ||
 *         lanework_launch(module, "saxpy", &shape, arguments, 4, NULL))
 *         fprintf(stderr, "%s\n", lanework_last_error());
 *
 * Every function that returns lanework_status returns LANEWORK_OK, which is 0, or an error code;
 * lanework_last_error() then returns a message. No function throws, unwinds or ends the process,
 * whatever PTX it is given, with one exception: a kernel on a device named "host" uses host addresses
 * (see lanework_device_open).
 *
 * Functions may be called from any thread, and launches run concurrently. Devices and modules are
 * handles: using a closed or unknown one is LANEWORK_BAD_ARGUMENT. Pointers must be valid for the
 * accesses of the function; NULL is an error unless documented otherwise.
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
    LANEWORK_BAD_ARGUMENT = 1, /* an invalid argument */
    LANEWORK_NO_DEVICE = 2,    /* there is no such device here */
    LANEWORK_BAD_PTX = 3,      /* the text is not PTX; line, column and caret in the message */
    LANEWORK_UNSUPPORTED = 4,  /* PTX that the emulator does not support, by name and line */
    LANEWORK_NO_MEMORY = 5,    /* the device or the host is out of memory */
    LANEWORK_REFUSED = 6,      /* a launch that exceeds the device's or the kernel's limits */
    LANEWORK_FAULT = 7,        /* the kernel faulted while it ran; its writes so far remain in memory */
    LANEWORK_DRIVER = 8,       /* the CUDA driver reports an error */
    LANEWORK_INTERNAL = 9      /* a bug in Lanework */
} lanework_status;

/* Handles of a device and of a module loaded on one. 0 is not a module; device 0 is that of ptx_run. */
typedef uint64_t lanework_device;
typedef uint64_t lanework_module;

/* Options of an emulator; 0 in a field selects the default, given below. */
typedef struct lanework_options {
    size_t size;                 /* sizeof(lanework_options) */
    uint64_t max_instructions;   /* per warp, after which it is stopped as stuck; 10^10 */
    uint64_t total_instructions; /* of all warps, after which a launch is stopped; no limit */
    uint64_t time_limit_ms;      /* after which a launch is stopped; no limit */
    uint64_t memory_bytes;       /* device memory; 16 GiB, or half of the host's free memory */
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
    uint32_t shared_per_block[2]; /* static, and in total */
} lanework_info;

/* The shape of a launch, x first. */
typedef struct lanework_shape {
    uint32_t grid[3];        /* blocks */
    uint32_t block[3];       /* threads of a block */
    uint32_t cluster[3];     /* blocks of a cluster; zeros leave it to the kernel */
    uint32_t dynamic_shared; /* bytes per block */
    uint32_t cooperative;    /* not 0: all blocks are on the device at once, so that they may wait for each other */
} lanework_shape;

/* Instruction counts of a launch on an emulator, per warp and per thread; zeros on a GPU. */
typedef struct lanework_executed {
    uint64_t warp_instructions;
    uint64_t lane_instructions;
} lanework_executed;

/* The library's version, such as "0.1.0", and that of its binary interface. */
const char *lanework_version(void);
uint32_t lanework_abi_version(void);

/* The message of this thread's last failed call, in a few lines: what, where, the cause, the remedy.
 * Never NULL; valid until this thread's next failure. */
const char *lanework_last_error(void);

/*
 * Opens a device:
 *   "emulator"  an emulated GPU with its own memory. Every access of a kernel is checked against the
 *               buffers, to the byte: no kernel can harm the process.
 *   "host"      an emulated GPU whose addresses are host addresses, so that kernels take the caller's
 *               pointers. While a range is registered (lanework_register), every access outside the
 *               registered and allocated ranges is LANEWORK_FAULT; use that for untrusted kernels.
 *               While none is, accesses are not checked: the kernel must access only valid memory, as
 *               C code must, or the process may crash.
 *   "cuda:0"    a GPU by index, through its driver.
 *   "best"      the first GPU, or an emulator where there is none.
 * options is for emulators, and may be NULL.
 */
lanework_status lanework_device_open(const char *name, const lanework_options *options,
                                     lanework_device *device);

/* Closes a device with its modules and buffers. */
lanework_status lanework_device_close(lanework_device device);

lanework_status lanework_device_info(lanework_device device, lanework_info *info);

/* Buffers. Addresses are device addresses, as kernels use them; on "host" they are host addresses. A
 * copy must lie within one buffer. */
lanework_status lanework_alloc(lanework_device device, size_t bytes, uint64_t *address);
lanework_status lanework_free(lanework_device device, uint64_t address);
lanework_status lanework_copy_to_device(lanework_device device, uint64_t to, const void *from,
                                        size_t bytes);
lanework_status lanework_copy_to_host(lanework_device device, void *to, uint64_t from, size_t bytes);

/* Registers `bytes` bytes at `start` for kernels on a "host" device, or with device 0 for ptx_run. From
 * then on kernels may access registered and allocated ranges only. The bytes must stay valid for reads
 * and writes until lanework_unregister, which takes the same start. Ranges must not overlap. */
lanework_status lanework_register(lanework_device device, void *start, size_t bytes);
lanework_status lanework_unregister(lanework_device device, void *start);

/* Loads PTX text; `bytes` is its length, or 0 if it ends with a zero byte. An entry with instructions
 * that the emulator does not support fails when it is launched; loading fails only if no entry is
 * supported. */
lanework_status lanework_module_load(lanework_device device, const char *ptx, size_t bytes,
                                     lanework_module *module);
lanework_status lanework_module_unload(lanework_module module);

/* The entries of a module, in the order of the text. `capacity` includes the terminating zero byte. */
lanework_status lanework_entry_count(lanework_module module, size_t *count);
lanework_status lanework_entry_name(lanework_module module, size_t index, char *name,
                                    size_t capacity);

/* The number of parameters of an entry, and the size in bytes of the first `capacity` of them. `sizes`
 * may be NULL. An unknown entry is LANEWORK_BAD_ARGUMENT, and the message lists the entries. */
lanework_status lanework_entry_parameters(lanework_module module, const char *entry, size_t *sizes,
                                          size_t capacity, size_t *count);

/* Launches an entry and waits for it. As for cuLaunchKernel, arguments[i] points to the value of
 * parameter i, which has the size declared in the PTX; `count` must be the number of parameters. The
 * output of printf goes to standard output. `executed` may be NULL. */
lanework_status lanework_launch(lanework_module module, const char *entry,
                                const lanework_shape *shape, const void *const *arguments,
                                size_t count, lanework_executed *executed);

/*
 * gpuocelot's entry point, for programs written for that library: runs the entry whose name sorts
 * first. Unlike above, arguments[i] *is* the value of parameter i, an address of host memory or an
 * integer, and shapes are ints with the block first. Runs on device 0, which is always open and a
 * "host" device. Each text is compiled once; variables in global memory are initialised at every call,
 * as in gpuocelot.
 *
 * gpuocelot declares it void. Here it returns a status, and a failure is also written to standard
 * error.
 */
lanework_status ptx_run(const char *source, int count, void *const *arguments, int block_x,
                        int block_y, int block_z, int grid_x, int grid_y, int grid_z,
                        int dynamic_shared);

#ifdef __cplusplus
}
#endif

#endif
