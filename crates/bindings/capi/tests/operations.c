/* Calls each operation once with a known result, and tests invalid calls. */
#include <lanework.h>
#include <math.h>

#include "expect.h"

static lanework_device device;

static uint64_t upload(const void *from, size_t bytes)
{
    uint64_t address = 0;
    EXPECT(lanework_alloc(device, bytes, &address) == 0);
    EXPECT(lanework_copy_to_device(device, address, from, bytes) == 0);
    return address;
}

static void download(void *to, lanework_array from, size_t bytes)
{
    EXPECT(lanework_copy_to_host(device, to, from.address, bytes) == 0);
}

static lanework_array empty(lanework_type type, uint32_t axes, const size_t *shape, size_t bytes)
{
    lanework_array array = {0, type, axes, shape, NULL};
    EXPECT(lanework_alloc(device, bytes, &array.address) == 0);
    return array;
}

static void reductions(void)
{
    const float values[6] = {1, 5, 3, 4, 2, 6};
    const size_t matrix[2] = {2, 3}, rows[1] = {2}, columns[1] = {3};
    const lanework_array x = {upload(values, sizeof values), LANEWORK_F32, 2, matrix, NULL};
    const lanework_array one = empty(LANEWORK_F32, 0, NULL, 4);
    const lanework_array of_rows = empty(LANEWORK_F32, 1, rows, 8);
    const lanework_array of_columns = empty(LANEWORK_F32, 1, columns, 12);
    const lanework_array places = empty(LANEWORK_U64, 1, rows, 16);
    float sum, sums[2], largest[3];
    uint64_t at[2];

    EXPECT(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one) == 0);
    download(&sum, one, sizeof sum);
    EXPECT(sum == 21);
    EXPECT(lanework_reduce(device, LANEWORK_SUM, &x, NULL, 1, 1, &of_rows) == 0);
    download(sums, of_rows, sizeof sums);
    EXPECT(sums[0] == 9 && sums[1] == 12);
    EXPECT(lanework_reduce(device, LANEWORK_MAX, &x, NULL, 0, 0, &of_columns) == 0);
    download(largest, of_columns, sizeof largest);
    EXPECT(largest[0] == 4 && largest[1] == 5 && largest[2] == 6);
    EXPECT(lanework_reduce(device, LANEWORK_ARGMIN, &x, NULL, 1, 0, &places) == 0);
    download(at, places, sizeof at);
    EXPECT(at[0] == 0 && at[1] == 1);
    EXPECT(lanework_reduce(device, LANEWORK_DOT, &x, &x, -1, 0, &one) == 0);
    download(&sum, one, sizeof sum);
    EXPECT(sum == 91);

    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, 1, 0, &places), LANEWORK_BAD_ARGUMENT,
         "its results are f32");
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, 2, 0, &of_rows), LANEWORK_BAD_ARGUMENT,
         "axis 2");
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, 1, 0, &of_columns), LANEWORK_BAD_ARGUMENT,
         "[2]");
    SAYS(lanework_reduce(device, LANEWORK_SUM, NULL, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "x is NULL");
    SAYS(lanework_reduce(device, LANEWORK_DOT, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "the other");
    SAYS(lanework_reduce(device, (lanework_reduction)8, &x, NULL, -1, 0, &one),
         LANEWORK_BAD_ARGUMENT, "lanework_reduction");
}

static void movement(void)
{
    const uint8_t pixels[6] = {1, 10, 100, 2, 20, 200};
    const double square[4] = {1, 2, 3, 4};
    const uint32_t lengths[3] = {3, 1, 4};
    const size_t image[3] = {1, 2, 3}, planes[3] = {3, 1, 2}, axes[3] = {2, 0, 1};
    const size_t wide[2] = {2, 3}, tall[2] = {3, 2}, two[2] = {2, 2}, three[1] = {3};
    const lanework_array x = {upload(pixels, 6), LANEWORK_U8, 3, image, NULL};
    const lanework_array flat = {x.address, LANEWORK_U8, 2, wide, NULL};
    const lanework_array y = empty(LANEWORK_U8, 3, planes, 6);
    const lanework_array turned = {y.address, LANEWORK_U8, 2, tall, NULL};
    const lanework_array z = {upload(square, sizeof square), LANEWORK_F64, 2, two, NULL};
    const lanework_array n = {upload(lengths, sizeof lengths), LANEWORK_U32, 1, three, NULL};
    const lanework_array starts = empty(LANEWORK_U32, 1, three, sizeof lengths);
    uint8_t bytes[6];
    double after[4];
    uint32_t before[3];

    EXPECT(lanework_permute(device, &x, axes, &y) == 0);
    download(bytes, y, 6);
    EXPECT(!memcmp(bytes, "\x01\x02\x0a\x14\x64\xc8", 6));
    EXPECT(lanework_permute(device, &flat, NULL, &turned) == 0);
    download(bytes, y, 6);
    EXPECT(!memcmp(bytes, "\x01\x02\x0a\x14\x64\xc8", 6));
    EXPECT(lanework_transpose_in_place(device, &z) == 0);
    download(after, z, sizeof after);
    EXPECT(after[1] == 3 && after[2] == 2);
    EXPECT(lanework_scan(device, LANEWORK_SCAN_SUM, 1, 0, &n, &starts) == 0);
    download(before, starts, sizeof before);
    EXPECT(before[0] == 0 && before[1] == 3 && before[2] == 4);

    SAYS(lanework_permute(device, &x, axes, &z), LANEWORK_BAD_ARGUMENT, "bit for bit");
    SAYS(lanework_transpose_in_place(device, &flat), LANEWORK_BAD_ARGUMENT,
         "in place");
    SAYS(lanework_scan(device, LANEWORK_SCAN_SUM, 0, 0, &n, &z), LANEWORK_BAD_ARGUMENT,
         "the input's type");
}

static void products(void)
{
    const float factor[6] = {1, 2, 3, 4, 5, 6}, added[2] = {-20, -30};
    const int8_t small[4] = {100, 100, -100, 100};
    const size_t matrix[2] = {2, 3}, turned[2] = {3, 2}, strides[2] = {1, 3}, two[2] = {2, 2};
    const size_t columns[1] = {2};
    const lanework_array a = {upload(factor, sizeof factor), LANEWORK_F32, 2, matrix, NULL};
    const lanework_array b = {a.address, LANEWORK_F32, 2, turned, strides}; /* the transpose of a */
    const lanework_array bias = {upload(added, sizeof added), LANEWORK_F32, 1, columns, NULL};
    const lanework_array c = empty(LANEWORK_F32, 2, two, 16);
    const lanework_array i = {upload(small, 4), LANEWORK_I8, 2, two, NULL};
    const lanework_array sums = empty(LANEWORK_I32, 2, two, 16);
    lanework_gemm_options options = LANEWORK_GEMM_OPTIONS_INIT;
    float results[4];
    int32_t whole[4];

    EXPECT(lanework_gemm(device, &a, &b, NULL, &c) == 0);
    download(results, c, sizeof results);
    EXPECT(results[0] == 14 && results[1] == 32 && results[2] == 32 && results[3] == 77);
    options.alpha = 2;
    options.beta = -1;
    options.bias = &bias;
    options.activation = LANEWORK_RELU;
    EXPECT(lanework_gemm(device, &a, &b, &options, &c) == 0);
    download(results, c, sizeof results);
    EXPECT(results[0] == 0 && results[1] == 2 && results[2] == 12 && results[3] == 47);
    EXPECT(lanework_gemm(device, &i, &i, NULL, &sums) == 0);
    download(whole, sums, sizeof whole);
    EXPECT(whole[0] == 0 && whole[1] == 20000 && whole[2] == -20000 && whole[3] == 0);

    SAYS(lanework_gemm(device, &a, &a, NULL, &c), LANEWORK_BAD_ARGUMENT, "A has 3 columns");
    SAYS(lanework_gemm(device, &a, &i, NULL, &c), LANEWORK_BAD_ARGUMENT, "f32 and i8");
    options.size--;
    SAYS(lanework_gemm(device, &a, &b, &options, &c), LANEWORK_BAD_ARGUMENT, "sizeof");
}

static void networks(void)
{
    const float x[4] = {0, 0, 1000, 1000}, y[4] = {1, 3, 10, 30}, scale[2] = {1, 2}, shift[2] = {0, 0.5f};
    const size_t row[2] = {1, 4}, two[2] = {2, 2}, columns[1] = {2}, heads[4] = {1, 1, 8, 64};
    const lanework_array a = {upload(x, sizeof x), LANEWORK_F32, 2, row, NULL};
    const lanework_array b = {upload(y, sizeof y), LANEWORK_F32, 2, two, NULL};
    const lanework_array gamma = {upload(scale, sizeof scale), LANEWORK_F32, 1, columns, NULL};
    const lanework_array beta = {upload(shift, sizeof shift), LANEWORK_F32, 1, columns, NULL};
    const lanework_array out = empty(LANEWORK_F32, 2, row, 16);
    const lanework_array rows = {out.address, LANEWORK_F32, 2, two, NULL};
    lanework_array q, result;
    float results[4];
    uint16_t ones[8 * 64];

    EXPECT(lanework_softmax(device, &a, &out) == 0);
    download(results, out, sizeof results);
    EXPECT(results[0] == 0 && results[2] == 0.5f);
    EXPECT(lanework_norm(device, LANEWORK_LAYER_NORM, &b, &gamma, &beta, 0, &rows) == 0);
    download(results, out, sizeof results);
    EXPECT(results[0] == -1 && results[1] == 2.5f && results[2] == -1 && results[3] == 2.5f);
    EXPECT(lanework_norm(device, LANEWORK_RMS_NORM, &b, NULL, NULL, 0, &rows) == 0);
    download(results, out, sizeof results);
    EXPECT(fabsf(results[0] - 1 / sqrtf(5)) < 1e-6f);

    for (int i = 0; i < 8 * 64; i++)
        ones[i] = 0x3f80; /* 1 as a bf16 */
    q.address = upload(ones, sizeof ones);
    q.type = LANEWORK_BF16;
    q.axes = 4;
    q.shape = heads;
    q.strides = NULL;
    result = empty(LANEWORK_BF16, 4, heads, sizeof ones);
    EXPECT(lanework_attention(device, &q, &q, &q, 1, 0, &result) == 0);
    memset(ones, 0, sizeof ones);
    download(ones, result, sizeof ones);
    EXPECT(ones[0] == 0x3f80 && ones[8 * 64 - 1] == 0x3f80);
    SAYS(lanework_softmax(device, &q, &result), LANEWORK_BAD_ARGUMENT, "2 axes");
    SAYS(lanework_attention(device, &q, &q, &a, 0, 0, &result), LANEWORK_BAD_ARGUMENT, "one type");
}

static void descriptions(void)
{
    const float values[4] = {1, 2, 3, 4};
    const size_t five[1] = {5}, four[1] = {4}, far[1] = {2}, seven[7] = {1, 1, 1, 1, 1, 1, 1};
    lanework_array x = {upload(values, sizeof values), LANEWORK_F32, 1, five, NULL};
    const lanework_array one = empty(LANEWORK_F32, 0, NULL, 4);

    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "x: ");
    EXPECT(strstr(lanework_last_error(), "spans 5 elements of f32; its memory holds 4"));
    x.shape = four;
    x.strides = far;
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "spans 7");
    x.strides = NULL;
    x.address += 2;
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "multiple of the element size");
    x.address = 64;
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "no buffer of lanework_alloc");
    x.type = 99;
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "99 is no lanework_type");
    x.type = LANEWORK_F32;
    x.axes = 7;
    x.shape = seven;
    SAYS(lanework_reduce(device, LANEWORK_SUM, &x, NULL, -1, 0, &one), LANEWORK_BAD_ARGUMENT,
         "up to 6");
}

static void all_of(const char *name)
{
    EXPECT(lanework_device_open(name, NULL, &device) == 0);
    reductions();
    movement();
    products();
    networks();
    descriptions();
    EXPECT(lanework_synchronize(device) == 0);
    EXPECT(lanework_device_close(device) == 0);
    SAYS(lanework_synchronize(device), LANEWORK_BAD_ARGUMENT, "no device");
}

int main(int count, char **names)
{
    all_of("emulator");
    all_of("host");
    for (int i = 1; i < count; i++)
        all_of(names[i]);
    puts("all as expected");
    return 0;
}
