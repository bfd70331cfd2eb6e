//! Host code: libraries that are loops of the host (Thrust, CUB, cuSPARSE, MPI, POSIX threads), without a device; and newer parts of
//! the language. The expected output is GCC's, or that of the toolkit's libraries.

mod common;

use lanework_host::{External, Process, word};

/// The functions of a device that has no memory of its own.
const DEVICE: &[(&str, External)] = &[
    ("__lw_context", |_, _| Ok(0)),
    ("__lw_open_device", |_, _| Ok(0)),
    ("__lw_close_device", |_, _| Ok(0)),
    ("__lw_is_device", |_, _| Ok(0)),
    ("cuCtxSynchronize", |_, _| Ok(0)),
    ("cuStreamSynchronize", |_, _| Ok(0)),
    ("cuMemAlloc_v2", allocate),
    ("cuMemAllocManaged", allocate),
    ("cuMemFree_v2", |process, a| {
        process.memory.release(word(a, 0)).map_err(|why| process.fault(&why, ""))?;
        Ok(0)
    }),
    ("cuMemcpyHtoDAsync_v2", copy),
    ("cuMemcpyDtoHAsync_v2", copy),
];

fn allocate(process: &mut Process, a: &[u64]) -> Result<u64, lanework_host::Stop> {
    let address = process.memory.allocate(word(a, 1), 16);
    let written = process.memory.write(word(a, 0), &address.to_le_bytes());
    process.accessed(written, "write")?;
    Ok(0)
}

fn copy(process: &mut Process, a: &[u64]) -> Result<u64, lanework_host::Stop> {
    let copied = process.memory.copy(word(a, 0), word(a, 1), word(a, 2));
    process.accessed(copied, "copy")?;
    Ok(0)
}

/// Runs a program that ends with code 0, and returns its output.
fn output(source: &str) -> String {
    let (text, ended) = common::run(source, &[DEVICE], &[]);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    text
}

#[test]
fn thrust_sorts_scans_and_reduces_through_iterators() {
    let source = r#"
        #include <cstdio>
        #include <thrust/device_vector.h>
        #include <thrust/sort.h>
        #include <thrust/scan.h>
        #include <thrust/iterator/zip_iterator.h>
        #include <thrust/complex.h>
        #include <thrust/set_operations.h>
        using namespace thrust::placeholders;
        int main() {
            int list[6], places[6], out[12];
            for (int i = 0; i < 6; i++) list[i] = (i * 5 + 2) % 6;
            thrust::sequence(places, places + 6);
            thrust::sort_by_key(list, list + 6, places);
            for (int i = 0; i < 6; i++) printf("%d:%d ", list[i], places[i]);
            thrust::exclusive_scan(list, list + 6, out);
            thrust::transform(out, out + 6, list, out, _1 * 2 + _2);
            for (int i = 0; i < 6; i++) printf("%d ", out[i]);
            auto z = thrust::make_zip_iterator(thrust::make_tuple(list, places));
            thrust::sort(z, z + 6, [](auto a, auto b) { return thrust::get<1>(a) < thrust::get<1>(b); });
            printf("\n%d:%d\n", list[0], places[5]);
            int keys[] = {1, 1, 2, 3, 3, 3}, values[] = {1, 2, 3, 4, 5, 6}, k[6], v[6];
            auto end = thrust::reduce_by_key(keys, keys + 6, values, k, v);
            printf("%d: %d %d %d\n", (int)(end.first - k), v[0], v[1], v[2]);
            thrust::complex<float> c(3, 4);
            c = c * thrust::conj(c) + 1.0f;
            printf("%g %g\n", c.real(), thrust::abs(c));
            int a[] = {1, 3, 5, 7}, b[] = {3, 4, 5};
            int n = thrust::set_intersection(a, a + 4, b, b + 3, out) - out, m = thrust::merge(a, a + 4, b, b + 3, out) - out;
            printf("%d %d %d\n", n, m, out[4]);
            thrust::device_vector<double> d(4, 1.5), e = d;
            thrust::host_vector<int> h(list, list + 6);
            thrust::device_vector<int> copy = h;
            d.push_back(2);
            e.insert(e.begin() + 1, 9.0);
            e.erase(e.begin());
            printf("%g %g %zu %d\n", thrust::reduce(d.begin(), d.end()), e[0], e.size(), copy == h);
        }"#;
    let wanted = "0:2 1:1 2:0 3:5 4:4 5:3 0 1 4 9 16 25 \n2:5\n3: 3 3 15\n26 26\n2 7 5\n8 9 4 1\n";
    assert_eq!(output(source), wanted);
}

#[test]
fn cub_and_cusparse_compute_on_the_host() {
    let source = r#"
        #include <cstdio>
        #include <cub/cub.cuh>
        #include <cusparse.h>
        struct Odd { __device__ bool operator()(int x) const { return x & 1; } };
        int main() {
            float keys[] = {3, -1, 0.0f, -0.0f, 7}, sorted[5];
            int values[] = {0, 1, 2, 3, 4}, placed[5], kept[5], count;
            size_t bytes = 0;
            cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, values, placed, 5);
            cub::DeviceRadixSort::SortPairs((void *)&bytes, bytes, keys, sorted, values, placed, 5);
            for (int i = 0; i < 5; i++) printf("%g:%d ", sorted[i], placed[i]);
            cub::DeviceSelect::If((void *)&bytes, bytes, values, kept, &count, 5, Odd());
            printf("%d %d\n", count, kept[1]);
            int offsets[] = {0, 2, 3, 5}, columns[] = {0, 2, 1, 0, 2};
            float matrix[] = {1, 2, 3, 4, 5}, x[] = {1, 2, 3}, y[3], alpha = 2, beta = 0;
            cusparseHandle_t handle;
            cusparseCreate(&handle);
            cusparseSpMatDescr_t a;
            cusparseDnVecDescr_t vx, vy;
            cusparseCreateCsr(&a, 3, 3, 5, offsets, columns, matrix, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
            cusparseCreateDnVec(&vx, 3, x, CUDA_R_32F);
            cusparseCreateDnVec(&vy, 3, y, CUDA_R_32F);
            cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vx, &beta, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
            printf("%g %g %g\n", y[0], y[1], y[2]);
        }"#;
    assert_eq!(output(source), "-1:1 0:2 -0:3 3:0 7:4 2 3\n14 12 38\n");
}

#[test]
fn wide_strings_type_identities_and_threads_follow_the_standard() {
    let source = r#"
        #include <cstdio>
        #include <algorithm>
        #include <future>
        #include <iostream>
        #include <pthread.h>
        #include <typeinfo>
        struct Base { virtual ~Base() {} };
        struct Derived : Base { int x; };
        const char *names[] = {"abc"};
        wchar_t wide[] = L"h\u00e9";
        char16_t sixteen[4] = {u"ab"};
        void *work(void *p) { *(int *)p += 5; return p; }
        int main() {
            const wchar_t *w = L"wide" " text";
            int n = 0;
            while (w[n]) n++;
            printf("%d %zu %zu %d %d\n", n, sizeof(wide) / sizeof(wide[0]), sizeof(names) / sizeof(names[0]), (int)wide[1], (int)sixteen[1]);
            const char16_t *s = u"\U0001F600";
            printf("%x %x\n", (unsigned)s[0], (unsigned)s[1]);
            Derived d;
            Base &b = d;
            std::cout << typeid(int).name() << typeid(b).name() << (typeid(b) == typeid(Derived)) << (typeid(b) == typeid(Base)) << "\n";
            unsigned char c[] = {200, 3, 255, 0};
            std::sort(c, c + 4);
            double f[] = {2, -1, -1e300, 0.5};
            std::sort(f, f + 4);
            printf("%d %d %g %g\n", c[0], c[3], f[0], f[3]);
            int base = 10;
            auto later = std::async(std::launch::async, [=](int x) { return base + x; }, 5);
            pthread_t thread;
            pthread_create(&thread, nullptr, work, &n);
            pthread_join(thread, nullptr);
            printf("%d %d\n", later.get(), n);
        }"#;
    let wanted = "9 3 1 233 98\nd83d de00\ni7Derived10\n0 255 -1e+300 2\n15 14\n";
    assert_eq!(output(source), wanted);
}

#[test]
fn transforms_follow_their_layouts() {
    let source = r#"
        #include <cstdio>
        #include <cmath>
        #include <cufft.h>
        int main() {
            const int n = 60, batch = 3;
            static cufftComplex h[n * batch], r[n * batch];
            for (int i = 0; i < n * batch; i++) { h[i].x = cosf(i * 0.3f); h[i].y = i % 7; }
            cufftHandle p;
            int made = cufftPlan1d(&p, n, CUFFT_C2C, batch);
            printf("%d %d ", made, cufftExecC2C(p, h, r, CUFFT_FORWARD));
            printf("%.3f %.3f %.3f %.3f\n", r[0].x, r[0].y, r[n + 5].x, r[n + 5].y);
            cufftExecC2C(p, r, r, CUFFT_INVERSE);
            float worst = 0;
            for (int i = 0; i < n * batch; i++) worst = fmaxf(worst, fabsf(r[i].x / n - h[i].x) + fabsf(r[i].y / n - h[i].y));
            printf("%d %d\n", worst < 1e-5f, cufftExecR2C(p, nullptr, nullptr));
            cufftDestroy(p);
            const int X = 6, Y = 10;
            double a[X * Y], c[X * Y];
            cufftDoubleComplex f[X * (Y / 2 + 1)];
            for (int i = 0; i < X * Y; i++) a[i] = i * 37 % 23 - 3.5;
            cufftHandle forward, back;
            cufftPlan2d(&forward, X, Y, CUFFT_D2Z);
            cufftPlan2d(&back, X, Y, CUFFT_Z2D);
            cufftExecD2Z(forward, a, f);
            cufftExecZ2D(back, f, c);
            double most = 0;
            for (int i = 0; i < X * Y; i++) most = fmax(most, fabs(c[i] / (X * Y) - a[i]));
            printf("%.6f %.6f %.6f %d\n", f[0].x, f[8].x, f[8].y, most < 1e-12);
            // In place, each row of 8 numbers has room for 5 complex ones.
            int size[1] = {8};
            float rows[40];
            for (int k = 0; k < 4; k++) for (int i = 0; i < 8; i++) rows[k * 10 + i] = i + k;
            cufftHandle many;
            cufftPlanMany(&many, 1, size, nullptr, 1, 0, nullptr, 1, 0, CUFFT_R2C, 4);
            cufftExecR2C(many, rows, (cufftComplex *)rows);
            printf("%.3f %.3f %.3f %.3f\n", rows[0], rows[10], rows[12], rows[13]);
        }"#;
    let wanted = "0 0 -2.315 174.000 -3.172 1.856\n1 3\n443.000000 -92.791266 65.257736 1\n28.000 36.000 -4.000 9.657\n";
    assert_eq!(output(source), wanted);
}

#[test]
fn dense_systems_are_factored_and_solved() {
    let source = r#"
        #include <cstdio>
        #include <cusolverDn.h>
        #include <cublas_v2.h>
        int main() {
            const int n = 3;
            const double A[] = {4, 2, 1, 2, 5, 3, 1, 3, 6}, N[] = {0, 2, 1, 2, 5, 3, 7, 3, 6};
            double a[9], x[] = {1, 2, 3}, y[] = {1, 2, 3}, z[] = {9, 10, 28}, values[3], work[4];
            int pivots[3], info = 7, size = 0;
            cusolverDnHandle_t h;
            cusolverDnCreate(&h);
            for (int i = 0; i < 9; i++) a[i] = N[i];
            cusolverDnDgetrf_bufferSize(h, n, n, a, n, &size);
            cusolverDnDgetrf(h, n, n, a, n, work, pivots, &info);
            cusolverDnDgetrs(h, CUBLAS_OP_N, n, 1, a, n, pivots, x, n, &info);
            cusolverDnDgetrs(h, CUBLAS_OP_T, n, 1, a, n, pivots, y, n, &info);
            double first = 0, second = 0;
            for (int j = 0; j < n; j++) { first += N[j * n] * x[j]; second += N[j] * y[j]; }
            printf("%.6f %.6f %d %d\n", first, second, info, size > 0);
            for (int i = 0; i < 9; i++) a[i] = A[i];
            cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, n, a, n, work, size, &info);
            cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, n, 1, a, n, z, n, &info);
            printf("%.6f %.6f %.6f %.6f\n", z[0], z[1], z[2], a[0]);
            for (int i = 0; i < 9; i++) a[i] = A[i];
            cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, a, n, values, work, size, &info);
            printf("%.6f %.6f %.6f\n", values[0], values[1], values[2]);
            float m[8] = {1, 2, 3, 4, 2, 2, 3, 4}, inverse[8], *list[] = {m, m + 4}, *to[] = {inverse, inverse + 4};
            int batch[4], state[2];
            cublasHandle_t blas;
            cublasCreate(&blas);
            cublasSgetrfBatched(blas, 2, list, 2, batch, state, 2);
            cublasSgetriBatched(blas, 2, list, 2, batch, to, 2, state, 2);
            printf("%.4f %.4f %.4f %.4f %d\n", inverse[0], inverse[1], inverse[4], inverse[7], state[0]);
        }"#;
    let wanted = "1.000000 1.000000 0 1\n1.895522 -1.955224 5.328358 2.000000\n1.921347 3.730159 9.348494\n-2.0000 1.0000 2.0000 1.0000 0\n";
    assert_eq!(output(source), wanted);
}

#[test]
fn older_functions_of_cusparse_sort_count_and_factorize() {
    let source = r#"
        #include <cstdio>
        #include <vector>
        #include <cusparse.h>
        int main() {
            cusparseHandle_t handle; cusparseCreate(&handle);
            cusparseMatDescr_t m; cusparseCreateMatDescr(&m);
            cusparseSetMatIndexBase(m, CUSPARSE_INDEX_BASE_ZERO);
            float dense[6] = {1, 0, 2, 0, 0, 3}; int each[2], all;
            cusparseSnnz(handle, CUSPARSE_DIRECTION_COLUMN, 3, 2, m, dense, 3, each, &all);
            printf("%d %d %d\n", each[0], each[1], all);
            int offsets[4] = {0, 2, 3, 5}, columns[5] = {2, 0, 1, 2, 0}, p[5];
            cusparseCreateIdentityPermutation(handle, 5, p);
            cusparseXcsrsort(handle, 3, 3, 5, m, offsets, columns, p, nullptr);
            for (int i = 0; i < 5; i++) printf("%d:%d ", columns[i], p[i]);
            // [4 . 2; . 3 .; 8 . 5] = L U with L(2, 0) = 2 and U(2, 2) = 1.
            double values[5] = {4, 2, 3, 8, 5}; int at;
            csrilu02Info_t info; cusparseCreateCsrilu02Info(&info);
            cusparseDcsrilu02_analysis(handle, 3, 5, m, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, nullptr);
            cusparseDcsrilu02(handle, 3, 5, m, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, nullptr);
            printf("%d %g %g\n", cusparseXcsrilu02_zeroPivot(handle, info, &at), values[3], values[4]);
            int rows[4] = {1, 0, 1, 0}, more[4] = {1, 1, 0, 0}, place[4] = {0, 1, 2, 3};
            cusparseXcoosortByRow(handle, 2, 2, 4, rows, more, place, nullptr);
            for (int i = 0; i < 4; i++) printf("%d%d%d ", rows[i], more[i], place[i]);
            // Two products of a batch.
            float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[2] = {0, 0}, one = 1, zero = 0;
            int c_offsets[4] = {0, 1, 0, 1}, c_columns[2] = {0, 0};
            cusparseDnMatDescr_t ma, mb; cusparseSpMatDescr_t mc;
            cusparseCreateDnMat(&ma, 1, 2, 1, a, CUDA_R_32F, CUSPARSE_ORDER_COL); cusparseDnMatSetStridedBatch(ma, 2, 2);
            cusparseCreateDnMat(&mb, 2, 1, 2, b, CUDA_R_32F, CUSPARSE_ORDER_COL); cusparseDnMatSetStridedBatch(mb, 2, 2);
            cusparseCreateCsr(&mc, 1, 1, 1, c_offsets, c_columns, c, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
            cusparseCsrSetStridedBatch(mc, 2, 2, 1);
            cusparseSDDMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, ma, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr);
            printf("%g %g\n", c[0], c[1]);
        }
    "#;
    assert_eq!(output(source), "2 1 3\n0:1 2:0 1:2 0:4 2:3 0 2 1\n003 011 102 110 17 53\n");
}

#[test]
fn mpi_sends_messages_to_its_own_process() {
    let source = r#"
        #include <mpi.h>
        #include <cstdio>
        int main(int count, char **arguments) {
            int rank, size, a[3] = {1, 2, 3}, b[3] = {}, received;
            MPI_Init(&count, &arguments);
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Request requests[2];
            MPI_Irecv(b, 3, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(a, 3, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            printf("%d of %d: %d %d %d\n", rank, size, b[0], b[1], b[2]);
            // Messages with one tag stay in order; another tag overtakes them.
            for (int i = 0; i < 3; i++) MPI_Send(a + i, 1, MPI_INT, 0, i == 2, MPI_COMM_WORLD);
            MPI_Status status;
            MPI_Recv(b, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(b + 1, 3, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &received);
            MPI_Sendrecv(a, 1, MPI_INT, 0, 5, b + 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
            printf("%d %d (%d) %d\n", b[0], b[1], received, b[2]);
            double x = 2.5, sum = 0;
            MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            int offsets[1] = {1}, counts[1] = {2};
            MPI_Gatherv(a, 2, MPI_INT, b, counts, offsets, MPI_INT, 0, MPI_COMM_WORLD);
            printf("%g %g %d %d\n", x, sum, b[1], b[2]);
            MPI_Recv(b, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return MPI_Finalize();
        }
    "#;
    assert_eq!(output(source), "0 of 1: 1 2 3\n3 1 (1) 2\n2.5 2.5 1 2\n");
}

#[test]
fn a_receive_without_a_message_and_a_rank_that_is_absent_end_the_program() {
    for call in [
        "MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)",
        "MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD)",
    ] {
        let source = format!("#include <mpi.h>\nint main() {{ int x = 0; {call}; return 0; }}");
        let (_, ended) = common::run(&source, &[DEVICE], &[]);
        assert_eq!(ended.map_err(|fault| fault.message), Ok(1), "{call}");
    }
}

#[test]
fn direction_vectors_are_those_of_joe_and_kuo() {
    let source = r#"
        #include <curand.h>
        #include <cstdio>
        int main() {
            curandDirectionVectors32_t *narrow;
            curandDirectionVectors64_t *wide;
            if (curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6)) return 1;
            if (curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6)) return 2;
            for (int dimension : {0, 1, 2, 199}) {
                unsigned sum = 0;
                for (int bit = 0; bit < 32; bit++) sum = sum * 31 + narrow[dimension][bit];
                printf("%08x %08x %08x\n", narrow[dimension][2], sum, (unsigned)(wide[dimension][31] >> 32));
            }
            curandGenerator_t generator;
            curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32);
            float x[3];
            printf("%d %d %d\n", curandSetQuasiRandomGeneratorDimensions(generator, 100000),
                   curandSetQuasiRandomGeneratorDimensions(generator, 2), curandGenerateUniform(generator, x, 3));
        }
    "#;
    let text = output(source);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split(' ').next(), Some("20000000"), "{text}");
    // The vectors of both widths have the same high bits.
    assert_eq!(lines[4], "104 0 105", "{text}");
    assert_eq!(lines[..4], EXPECTED, "{text}");
}

/// By dimension: the third vector, a checksum of all of them, and the high half of the last vector of 64 bits that the
/// narrow ones share. Computed by `generators::sobol` of the stand-in for cuRAND.
const EXPECTED: [&str; 4] = [
    "20000000 3ef368eb 00000001",
    "a0000000 147f0469 ffffffff",
    "60000000 bcd522cb c5005555",
    "20000000 02e4419d 04a3877f",
];
