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
 * function's accesses; NULL is an error unless documented otherwise.
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

/* The message of this thread's last failed call, in a few lines: what failed, where, why, and a remedy.
 * Never NULL; valid until this thread's next failure. */
const char *lanework_last_error(void);

/*
 * Opens a device:
 *   "emulator"  an emulated GPU with its own memory. Every access of a kernel is checked to the byte, so
 *               no kernel can harm the process.
 *   "host"      an emulated GPU whose addresses are host addresses, so kernels can use the caller's
 *               pointers. While a range is registered (lanework_register), every access outside of the
 *               registered and allocated ranges is LANEWORK_FAULT; use this for untrusted kernels.
 *               Otherwise accesses are not checked: like C code, the kernel must only access valid
 *               memory, or the process may crash.
 *   "cuda:0"    a GPU by index, through its driver.
 *   "best"      the first GPU, or an emulator if there is none.
 * `options` is for emulators, and may be NULL.
 */
lanework_status lanework_device_open(const char *name, const lanework_options *options,
                                     lanework_device *device);

/* Closes a device with its modules and buffers. */
lanework_status lanework_device_close(lanework_device device);

lanework_status lanework_device_info(lanework_device device, lanework_info *info);

/* Buffers. Addresses are those that kernels use: device addresses, or host addresses on "host". A copy
 * must stay within one buffer. */
lanework_status lanework_alloc(lanework_device device, size_t bytes, uint64_t *address);
lanework_status lanework_free(lanework_device device, uint64_t address);
lanework_status lanework_copy_to_device(lanework_device device, uint64_t to, const void *from,
                                        size_t bytes);
lanework_status lanework_copy_to_host(lanework_device device, void *to, uint64_t from, size_t bytes);

/* Registers `bytes` bytes at `start` for kernels on a "host" device, or with device 0 for ptx_run. From
 * then on, kernels may only access registered and allocated ranges. The bytes must stay valid for reads
 * and writes until lanework_unregister with the same start. Ranges must not overlap. */
lanework_status lanework_register(lanework_device device, void *start, size_t bytes);
lanework_status lanework_unregister(lanework_device device, void *start);

/* Loads PTX text; `bytes` is its length, or 0 if it ends with a zero byte. Launching an entry fails
 * if the emulator does not support its instructions; loading fails only if no entry is supported. */
lanework_status lanework_module_load(lanework_device device, const char *ptx, size_t bytes,
                                     lanework_module *module);
lanework_status lanework_module_unload(lanework_module module);

/* The entries of a module, in text order. `capacity` includes the terminating zero byte. */
lanework_status lanework_entry_count(lanework_module module, size_t *count);
lanework_status lanework_entry_name(lanework_module module, size_t index, char *name,
                                    size_t capacity);

/* The number of parameters of an entry, and the size in bytes of the first `capacity` of them. `sizes`
 * may be NULL. An unknown entry is LANEWORK_BAD_ARGUMENT, and the message lists the entries. */
lanework_status lanework_entry_parameters(lanework_module module, const char *entry, size_t *sizes,
                                          size_t capacity, size_t *count);

/* Launches an entry and waits until it is done. As for cuLaunchKernel, arguments[i] points to the value of
 * parameter i, which has the size declared in the PTX; `count` must be the number of parameters. The
 * output of printf goes to standard output. `executed` may be NULL. */
lanework_status lanework_launch(lanework_module module, const char *entry,
                                const lanework_shape *shape, const void *const *arguments,
                                size_t count, lanework_executed *executed);

/*
 * Operations: tuned kernels for common work, the same on a GPU and on an emulator. An operation is queued
 * after the device's earlier work and returns immediately; lanework_copy_to_host and lanework_synchronize
 * wait. Results have the same bits in every run on the same device. Types, shapes, strides or options that
 * do not match are LANEWORK_BAD_ARGUMENT, and the message names the operand and the numbers.
 *
 *     size_t of_a[] = {m, k}, of_b[] = {k, n}, of_c[] = {m, n};
 *     lanework_array a = {address_a, LANEWORK_F32, 2, of_a, NULL};
 *     lanework_array b = {address_b, LANEWORK_F32, 2, of_b, NULL};
 *     lanework_array c = {address_c, LANEWORK_F32, 2, of_c, NULL};
 *     lanework_gemm(device, &a, &b, NULL, &c);
 */
typedef enum lanework_type {
    LANEWORK_I8 = 0,
    LANEWORK_U8 = 1,
    LANEWORK_I16 = 2,
    LANEWORK_U16 = 3,
    LANEWORK_I32 = 4,
    LANEWORK_U32 = 5,
    LANEWORK_I64 = 6,
    LANEWORK_U64 = 7,
    LANEWORK_F16 = 8,
    LANEWORK_BF16 = 9,
    LANEWORK_F32 = 10,
    LANEWORK_F64 = 11,
    LANEWORK_E4M3 = 12,
    LANEWORK_E5M2 = 13
} lanework_type;

/* An array of up to six axes, in one buffer of lanework_alloc. Outputs have no two elements in one place. */
typedef struct lanework_array {
    uint64_t address;      /* of its first element, a multiple of the bytes of an element */
    int32_t type;          /* lanework_type */
    uint32_t axes;         /* 0 for a single element */
    const size_t *shape;   /* extents, outermost first */
    const size_t *strides; /* elements from one index to the next; NULL where rows follow each other.
                            * The transpose of a matrix has them exchanged; 0 repeats an element. */
} lanework_array;

typedef enum lanework_reduction {
    LANEWORK_SUM = 0,            /* i64, u64, f32 (of f16, bf16, f32) or f64 */
    LANEWORK_SUM_OF_SQUARES = 1, /* the same */
    LANEWORK_NORM2 = 2,          /* f32 or f64 */
    LANEWORK_MIN = 3,            /* the element type; NaN if there is a NaN */
    LANEWORK_MAX = 4,
    LANEWORK_ARGMIN = 5, /* u64: the first index of the extreme element, or of the first NaN */
    LANEWORK_ARGMAX = 6,
    LANEWORK_DOT = 7 /* types as a sum; x and y have the same shape and type */
} lanework_reduction;

/* Reduces all elements (axis -1) to one, or along one axis (from 0) to an array without that axis. `y` is
 * NULL except for LANEWORK_DOT. `compensated` sums are computed as if with twice the precision, and
 * rounded once. Elements are i32, u32, i64, u64, f16, bf16, f32 or f64. */
lanework_status lanework_reduce(lanework_device device, lanework_reduction reduction,
                                const lanework_array *x, const lanework_array *y, int axis,
                                int compensated, const lanework_array *out);

typedef enum lanework_scan_kind {
    LANEWORK_SCAN_SUM = 0,
    LANEWORK_SCAN_MIN = 1,
    LANEWORK_SCAN_MAX = 2
} lanework_scan_kind;

/* The running sums (or extremes) of an array in row-major order, or of each row (`last_axis`). `exclusive`
 * scans only include the elements before each element. `out` has the shape and type of `x`. */
lanework_status lanework_scan(lanework_device device, lanework_scan_kind kind, int exclusive,
                              int last_axis, const lanework_array *x, const lanework_array *out);

/* Axis i of `out` is axis axes[i] of `x`; NULL exchanges the last two axes. With the identity order it
 * copies from any strides to any strides. Elements of any type are copied bit for bit. */
lanework_status lanework_permute(lanework_device device, const lanework_array *x, const size_t *axes,
                                 const lanework_array *out);

/* Transposes a square matrix, or each matrix of a batch (three axes), in place. */
lanework_status lanework_transpose_in_place(lanework_device device, const lanework_array *x);

typedef enum lanework_precision {
    LANEWORK_FULL = 0,
    LANEWORK_TENSOR_FLOAT_32 = 1, /* f32 factors rounded to 10 bits of mantissa */
    LANEWORK_ACCURATE = 2,        /* f32 factors on tensor cores, with at most the error of f32 sums */
    LANEWORK_COMPENSATED = 3      /* f32 and f64: as if with twice the precision, rounded once */
} lanework_precision;

typedef enum lanework_activation {
    LANEWORK_NO_ACTIVATION = 0,
    LANEWORK_RELU = 1,
    LANEWORK_GELU = 2
} lanework_activation;

typedef struct lanework_gemm_options {
    size_t size; /* sizeof(lanework_gemm_options) */
    double alpha;
    double beta;        /* if 0, the previous values of c are not read */
    int32_t precision;  /* lanework_precision */
    int32_t activation; /* lanework_activation, after the bias */
    const lanework_array *bias;    /* one element per column; NULL for none */
    const lanework_array *scale_a; /* f32, of 8-bit factors: one, or one per row; NULL for none */
    const lanework_array *scale_b; /* f32: one, or one per column */
} lanework_gemm_options;

#define LANEWORK_GEMM_OPTIONS_INIT {sizeof(lanework_gemm_options), 1.0, 0.0, 0, 0, NULL, NULL, NULL}

/* c = alpha a b + beta c for matrices, or for batches with three axes. Factors are f64, f32, f16, bf16,
 * e4m3, e5m2 or i8; sums are f64, f32, or i32 for i8. `options` may be NULL. */
lanework_status lanework_gemm(lanework_device device, const lanework_array *a,
                              const lanework_array *b, const lanework_gemm_options *options,
                              const lanework_array *c);

/* The softmax of each row of an f16, bf16 or f32 matrix. */
lanework_status lanework_softmax(lanework_device device, const lanework_array *x,
                                 const lanework_array *out);

typedef enum lanework_norm_kind {
    LANEWORK_LAYER_NORM = 0, /* (x - mean) / sqrt(variance + eps) */
    LANEWORK_RMS_NORM = 1    /* x / sqrt(mean of squares + eps) */
} lanework_norm_kind;

/* The norm of each row of a matrix, times gamma and plus beta, which have one element per column in the
 * type of the rows, or are NULL. */
lanework_status lanework_norm(lanework_device device, lanework_norm_kind kind, const lanework_array *x,
                              const lanework_array *gamma, const lanework_array *beta, float eps,
                              const lanework_array *out);

/* softmax(scale q k') v for f16 or bf16, with the axes batch, heads, sequence and head dimension (64 or
 * 128). A scale of 0 means one over the square root of the head dimension. */
lanework_status lanework_attention(lanework_device device, const lanework_array *q,
                                   const lanework_array *k, const lanework_array *v, int causal,
                                   float scale, const lanework_array *out);

/* Waits for the work queued on a device. */
lanework_status lanework_synchronize(lanework_device device);

/*
 * gpuocelot's entry point, for programs written for that library: runs the entry whose name sorts
 * first. Unlike above, arguments[i] *is* the value of parameter i, an address of host memory or an
 * integer, and shapes are ints with the block first. Runs on device 0, which is always open and a
 * "host" device. Each text is compiled once; variables in global memory are initialized at every call,
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
