// Bytes and text: hashes, checksums, search, codes, distances.

__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of one message of `length` bytes (at most 55) per thread.
extern "C" __global__ void sha256(const unsigned char *messages, int length, unsigned *digests, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    auto turn = [](unsigned x, int by) { return __funnelshift_r(x, x, by); };
    unsigned w[64];
    for (int i = 0; i < 16; i++) {
        unsigned word = 0;
        for (int b = 0; b < 4; b++) {
            int at = 4 * i + b;
            word = word << 8 | (at < length ? messages[id * length + at] : at == length ? 0x80u : 0u);
        }
        w[i] = word;
    }
    w[15] = length * 8;
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] + (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], x = h[7];
    for (int i = 0; i < 64; i++) {
        unsigned t1 = x + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + K[i] + w[i];
        unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c);
        x = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    unsigned sum[8] = {a, b, c, d, e, f, g, x};
    for (int i = 0; i < 8; i++) digests[id * 8 + i] = h[i] + sum[i];
}

// CRC-32 with a table that the block makes.
extern "C" __global__ void crc32(const unsigned char *data, int length, unsigned *crc) {
    __shared__ unsigned table[256];
    unsigned entry = threadIdx.x;
    for (int bit = 0; bit < 8; bit++) entry = entry >> 1 ^ (entry & 1 ? 0xedb88320u : 0);
    table[threadIdx.x] = entry;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    unsigned c = ~0u;
    const unsigned char *mine = data + threadIdx.x * length;
    for (int i = 0; i < length; i++) c = table[(c ^ mine[i]) & 255] ^ c >> 8;
    crc[threadIdx.x] = ~c;
}

// FNV-1a, 64 bits, of words ended by a zero.
extern "C" __global__ void fnv(const char *text, const int *start, unsigned long long *hash, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long h = 0xcbf29ce484222325ull;
    for (const char *p = text + start[i]; *p; p++) h = (h ^ (unsigned char)*p) * 0x100000001b3ull;
    hash[i] = h;
}

// All places of a pattern.
extern "C" __global__ void find_all(const char *text, int n, const char *pattern, int m, unsigned *bitmap) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool found = i + m <= n;
    for (int j = 0; found && j < m; j++) found = text[i + j] == pattern[j];
    unsigned votes = __ballot_sync(~0u, found);
    if (threadIdx.x % 32 == 0) bitmap[i / 32] = votes;
}

// A pattern with `?` and `*`, one text per thread, by backtracking.
extern "C" __global__ void wildcard(const char *texts, int stride, const char *pattern, int *matches, int n) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= n) return;
    const char *s = texts + id * stride, *p = pattern, *star = nullptr, *retry = nullptr;
    while (*s) {
        if (*p == '?' || *p == *s) {
            p++;
            s++;
        } else if (*p == '*') {
            star = p++;
            retry = s;
        } else if (star) {
            p = star + 1;
            s = ++retry;
        } else {
            matches[id] = 0;
            return;
        }
    }
    while (*p == '*') p++;
    matches[id] = *p == 0;
}

// Levenshtein's distance of two words by one warp, along the diagonals.
extern "C" __global__ void edit_distance(const char *a, int n, const char *b, int m, int *distance) {
    __shared__ int previous[3][40];
    int i = threadIdx.x; // row, 0..n with n < 32
    for (int diagonal = 0; diagonal <= n + m; diagonal++) {
        int j = diagonal - i;
        if (i <= n && j >= 0 && j <= m) {
            int best;
            if (i == 0 || j == 0) best = i + j;
            else {
                best = min(previous[(diagonal + 2) % 3][i - 1], previous[(diagonal + 2) % 3][i]) + 1;
                best = min(best, previous[(diagonal + 1) % 3][i - 1] + (a[i - 1] != b[j - 1]));
            }
            previous[diagonal % 3][i] = best;
        }
        __syncwarp();
    }
    if (i == n) *distance = previous[(n + m) % 3][n];
}

// Base64, three bytes to four letters.
extern "C" __global__ void base64(const unsigned char *in, uchar4 *out, int groups) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups) return;
    unsigned bits = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] = make_uchar4(letters[bits >> 18], letters[bits >> 12 & 63], letters[bits >> 6 & 63], letters[bits & 63]);
}

// Upper case, code points and words of UTF-8, counted by a switch on the class of a byte.
extern "C" __global__ void count_text(unsigned char *text, int n, unsigned *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char c = text[i];
    switch (c >> 4) {
    case 0: atomicAdd(&counts[0], 1); break;
    case 2: atomicAdd(&counts[1], 1); break;
    case 3: atomicAdd(&counts[2], 1); break;
    case 4: case 5: atomicAdd(&counts[3], 1); break;
    case 6: case 7:
        if (c >= 'a' && c <= 'z') {
            text[i] = c - 32;
            atomicAdd(&counts[4], 1);
        }
        break;
    case 8: case 9: case 10: case 11: atomicAdd(&counts[5], 1); break;
    case 12: case 13: atomicAdd(&counts[6], 1); break;
    case 14: atomicAdd(&counts[7], 1); break;
    case 15: atomicAdd(&counts[8], 1); break;
    default: atomicAdd(&counts[9], 1);
    }
}

// Number of ways to place queens on a board: the thread fixes the first two rows, backtracking fills the others.
extern "C" __global__ void queens(unsigned *solutions, int n) {
    unsigned all = (1u << n) - 1, columns[16], left[16], right[16], free_[16];
    int first = threadIdx.x / n, second = threadIdx.x % n;
    if (first >= n) return;
    unsigned a = 1u << first, b = 1u << second;
    if (b & (a | a << 1 | a >> 1)) return;
    int depth = 0;
    columns[0] = a | b;
    left[0] = (a << 1 | b) << 1;
    right[0] = (a >> 1 | b) >> 1;
    free_[0] = all & ~(columns[0] | left[0] | right[0]);
    unsigned found = 0;
    while (depth >= 0) {
        unsigned bit = free_[depth] & -free_[depth];
        if (!bit) {
            depth--;
            continue;
        }
        free_[depth] ^= bit;
        if (depth == n - 3) {
            found++;
            continue;
        }
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        free_[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    atomicAdd(solutions, found);
}
