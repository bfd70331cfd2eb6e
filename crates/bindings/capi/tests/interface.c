/* Uses each part of the C interface once, and provokes each kind of failure. */
#include <lanework.h>

#include "expect.h"
/* tests/c_programs.rs puts this file next to the program. */
#include "kernels.h"

enum { N = 1000 };

static void a_module(lanework_device device, lanework_module *module)
{
    size_t count = 0, sizes[4] = {0};
    char name[32];
    EXPECT(lanework_module_load(device, KERNELS, 0, module) == 0);
    EXPECT(lanework_entry_count(*module, &count) == 0 && count == 2);
    EXPECT(lanework_entry_name(*module, 0, name, sizeof name) == 0 && !strcmp(name, "saxpy"));
    SAYS(lanework_entry_name(*module, 0, name, 5), LANEWORK_BAD_ARGUMENT, "6 bytes");
    SAYS(lanework_entry_name(*module, 2, name, sizeof name), LANEWORK_BAD_ARGUMENT, "has 2");
    EXPECT(lanework_entry_parameters(*module, "saxpy", sizes, 4, &count) == 0 && count == 4);
    EXPECT(sizes[0] == 4 && sizes[1] == 8 && sizes[2] == 8 && sizes[3] == 4);
    EXPECT(lanework_entry_parameters(*module, "spin", NULL, 0, &count) == 0 && count == 1);
    SAYS(lanework_entry_parameters(*module, "sax", sizes, 4, &count), LANEWORK_BAD_ARGUMENT,
         "it has `saxpy`, `spin`");
}

static void buffers(const char *device_name)
{
    static float x[N], y[N];
    lanework_device device;
    lanework_module module;
    lanework_info info;
    lanework_shape shape = {{4, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0, 0};
    lanework_executed executed;
    uint64_t dx, dy;
    float a = 2.0f;
    uint32_t n = N;
    const void *arguments[] = {&a, &dx, &dy, &n};

    EXPECT(lanework_device_open(device_name, NULL, &device) == 0 && device != 0);
    info.size = sizeof info;
    EXPECT(lanework_device_info(device, &info) == 0);
    info.size--;
    SAYS(lanework_device_info(device, &info), LANEWORK_BAD_ARGUMENT, "sizeof");
    EXPECT(info.max_threads_per_block == 1024 && info.memory_bytes > 0 && info.name[0]);
    a_module(device, &module);
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    EXPECT(lanework_alloc(device, sizeof x, &dx) == 0);
    EXPECT(lanework_alloc(device, sizeof y, &dy) == 0);
    EXPECT(lanework_copy_to_device(device, dx, x, sizeof x) == 0);
    EXPECT(lanework_copy_to_device(device, dy, y, sizeof y) == 0);
    EXPECT(lanework_launch(module, "saxpy", &shape, arguments, 4, &executed) == 0);
    memset(y, 0, sizeof y);
    EXPECT(lanework_copy_to_host(device, y, dy, sizeof y) == 0);
    for (int i = 0; i < N; i++)
        EXPECT(y[i] == 2.0f * (float)i + 1.0f);
    EXPECT(lanework_copy_to_host(device, y, dy + 12, 4) == 0 && y[0] == 7.0f);

    /* Invalid calls give errors, and the device remains usable. */
    SAYS(lanework_copy_to_host(device, y, dy + 4, sizeof y), LANEWORK_BAD_ARGUMENT, "one buffer");
    SAYS(lanework_copy_to_device(device, dx, NULL, 4), LANEWORK_BAD_ARGUMENT, "NULL");
    SAYS(lanework_launch(module, "saxpy", &shape, arguments, 3, NULL), LANEWORK_BAD_ARGUMENT,
         "3 arguments for the 4");
    SAYS(lanework_launch(module, "saxpy", NULL, arguments, 4, NULL), LANEWORK_BAD_ARGUMENT,
         "`shape`");
    shape.block[0] = 2048;
    EXPECT(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL) != 0);
    EXPECT(strstr(lanework_last_error(), "1024"));
    shape.block[0] = 256;
    SAYS(lanework_module_load(device, "nonsense", 0, &module), LANEWORK_BAD_PTX, "nonsense");
    EXPECT(module == 0);
    SAYS(lanework_module_load(device, NULL, 0, &module), LANEWORK_BAD_ARGUMENT, "NULL");

    EXPECT(lanework_free(device, dx) == 0);
    SAYS(lanework_free(device, dx), LANEWORK_BAD_ARGUMENT, "freed already");
    EXPECT(lanework_device_close(device) == 0);
    SAYS(lanework_device_close(device), LANEWORK_BAD_ARGUMENT, "no device");
    SAYS(lanework_free(device, dy), LANEWORK_BAD_ARGUMENT, "no device");
}

static void emulator_faults(void)
{
    lanework_device device;
    lanework_module module, still;
    lanework_options options = LANEWORK_OPTIONS_INIT;
    lanework_shape shape = {{4, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0, 0};
    uint64_t dx, dy;
    float a = 2.0f;
    uint32_t n = N;
    const void *arguments[] = {&a, &dx, &dy, &n};

    options.max_instructions = 100000;
    options.memory_bytes = 1 << 20;
    EXPECT(lanework_device_open("emulator", &options, &device) == 0);
    a_module(device, &module);
    EXPECT(lanework_alloc(device, 4 * N, &dx) == 0 && lanework_alloc(device, 4 * N - 4, &dy) == 0);
    SAYS(lanework_alloc(device, 1 << 20, &dx), LANEWORK_NO_MEMORY, "out of device memory");
    EXPECT(dx == 0);
    EXPECT(lanework_alloc(device, 4 * N, &dx) == 0);
    SAYS(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL), LANEWORK_FAULT,
         "out-of-bounds global");
    SAYS(lanework_launch(module, "spin", &shape, arguments + 1, 1, NULL), LANEWORK_FAULT,
         "instruction limit");
    SAYS(lanework_register(device, &a, sizeof a), LANEWORK_BAD_ARGUMENT, "cannot be registered");
    EXPECT(lanework_module_load(device, KERNELS, strlen(KERNELS), &still) == 0);
    EXPECT(lanework_module_unload(module) == 0);
    SAYS(lanework_module_unload(module), LANEWORK_BAD_ARGUMENT, "no module");
    SAYS(lanework_device_close(still), LANEWORK_BAD_ARGUMENT, "a module, not a device");
    EXPECT(lanework_device_close(device) == 0);
    SAYS(lanework_launch(still, "saxpy", &shape, arguments, 4, NULL), LANEWORK_BAD_ARGUMENT,
         "no module");

    options.max_instructions = 0;
    options.time_limit_ms = 50;
    EXPECT(lanework_device_open("emulator", &options, &device) == 0);
    a_module(device, &module);
    SAYS(lanework_launch(module, "spin", &shape, arguments + 1, 1, NULL), LANEWORK_FAULT, "time");
    EXPECT(lanework_device_close(device) == 0);
    options.time_limit_ms = 0;
    options.total_instructions = 1000;
    EXPECT(lanework_device_open("host", &options, &device) == 0);
    a_module(device, &module);
    EXPECT(lanework_launch(module, "spin", &shape, arguments + 1, 1, NULL) == LANEWORK_FAULT);
    EXPECT(lanework_device_close(device) == 0);

    options.reserved = 1;
    SAYS(lanework_device_open("emulator", &options, &device), LANEWORK_BAD_ARGUMENT,
         "LANEWORK_OPTIONS_INIT");
    SAYS(lanework_device_open("toaster", NULL, &device), LANEWORK_NO_DEVICE, "toaster");
    SAYS(lanework_device_open(NULL, NULL, &device), LANEWORK_BAD_ARGUMENT, "NULL");
    SAYS(lanework_device_open("emulator", NULL, NULL), LANEWORK_BAD_ARGUMENT, "NULL");
}

static void host_memory(void)
{
    static float x[N], y[N], other[N];
    lanework_device device;
    lanework_module module;
    lanework_shape shape = {{4, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0, 0};
    float a = 2.0f, *px = x, *py = y;
    uint32_t n = N;
    const void *arguments[] = {&a, &px, &py, &n};

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    EXPECT(lanework_device_open("host", NULL, &device) == 0);
    a_module(device, &module);
    EXPECT(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL) == 0);
    for (int i = 0; i < N; i++)
        EXPECT(y[i] == 2.0f * (float)i + 1.0f);

    EXPECT(lanework_register(device, x, sizeof x) == 0);
    SAYS(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL), LANEWORK_FAULT,
         "out-of-bounds");
    EXPECT(lanework_register(device, y, sizeof y) == 0);
    SAYS(lanework_register(device, y + 1, 4), LANEWORK_BAD_ARGUMENT, "overlaps");
    EXPECT(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL) == 0);
    EXPECT(y[999] == 3997.0f);
    py = other;
    EXPECT(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL) == LANEWORK_FAULT);
    EXPECT(lanework_unregister(device, x) == 0);
    SAYS(lanework_unregister(device, x), LANEWORK_BAD_ARGUMENT, "no registered range");
    EXPECT(lanework_unregister(device, y) == 0);
    EXPECT(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL) == 0);
    EXPECT(other[999] == 1998.0f);
    px = NULL;
    SAYS(lanework_launch(module, "saxpy", &shape, arguments, 4, NULL), LANEWORK_FAULT, "null");
    EXPECT(lanework_device_close(device) == 0);
}

static void clusters(void)
{
    uint32_t ranks[8];
    uint32_t *to = ranks;
    lanework_device device;
    lanework_module module;
    lanework_shape shape = {{8, 1, 1}, {1, 1, 1}, {4, 1, 1}, 0, 0};
    const void *arguments[] = {&to};

    EXPECT(lanework_device_open("host", NULL, &device) == 0);
    EXPECT(lanework_register(device, ranks, sizeof ranks) == 0);
    EXPECT(lanework_module_load(device, RANKS, 0, &module) == 0);
    EXPECT(lanework_launch(module, "ranks", &shape, arguments, 1, NULL) == 0);
    for (uint32_t i = 0; i < 8; i++)
        EXPECT(ranks[i] == i % 4);
    shape.cluster[0] = 3;
    EXPECT(lanework_launch(module, "ranks", &shape, arguments, 1, NULL) == LANEWORK_REFUSED);
    EXPECT(lanework_device_close(device) == 0);
}

static void as_gpuocelot(void)
{
    static float x[N], y[N];
    float a = 2.0f;
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    void *values[] = {(void *)(uintptr_t)bits, x, y, (void *)(uintptr_t)N};

    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    for (int round = 1; round <= 3; round++) {
        EXPECT(ptx_run(KERNELS, 4, values, 256, 1, 1, 4, 1, 1, 0) == 0);
        for (int i = 0; i < N; i++)
            EXPECT(y[i] == 2.0f * (float)i * (float)round);
    }
    SAYS(ptx_run(KERNELS, 3, values, 256, 1, 1, 4, 1, 1, 0), LANEWORK_BAD_ARGUMENT,
         "3 arguments for the 4");
    SAYS(ptx_run(KERNELS, 4, values, 256, -1, 1, 4, 1, 1, 0), LANEWORK_BAD_ARGUMENT, "-1");
    EXPECT(lanework_register(0, x, sizeof x) == 0);
    EXPECT(ptx_run(KERNELS, 4, values, 256, 1, 1, 4, 1, 1, 0) == LANEWORK_FAULT);
    EXPECT(lanework_unregister(0, x) == 0);
    SAYS(lanework_device_close(0), LANEWORK_BAD_ARGUMENT, "always open");

    /* Every call initializes variables in global memory. */
    uint32_t seen = 9;
    void *counter[] = {&seen};
    for (int round = 0; round < 2; round++)
        EXPECT(ptx_run(COUNTER, 1, counter, 1, 1, 1, 1, 1, 1, 0) == 0 && seen == 5);
}

int main(int count, char **names)
{
    EXPECT(lanework_abi_version() == LANEWORK_ABI_VERSION);
    EXPECT(strchr(lanework_version(), '.') && !lanework_last_error()[0]);
    emulator_faults();
    host_memory();
    clusters();
    as_gpuocelot();
    buffers("emulator");
    buffers("host");
    for (int i = 1; i < count; i++)
        buffers(names[i]);
    puts("all as expected");
    return 0;
}
