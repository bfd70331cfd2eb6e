// <random>: the engines of the C++ standard, and distributions that give GCC's numbers.
#include "lanework/std/algorithm.h"
namespace std {
template <class U, size_t W, size_t N, size_t M, size_t R, U A, size_t UU, U D, size_t S, U B, size_t T, U C, size_t L, U F> struct mersenne_twister_engine {
    typedef U result_type;
    static constexpr U default_seed = 5489u;
    U x[N];
    size_t at;
    mersenne_twister_engine() { seed(default_seed); }
    explicit mersenne_twister_engine(U s) { seed(s); }
    static constexpr U __lw_mask() { return W == 64 ? ~(U)0 : ((U)1 << (W & 63)) - 1; }
    static constexpr U min() { return 0; }
    static constexpr U max() { return __lw_mask(); }
    void seed(U s = default_seed) {
        x[0] = s & __lw_mask();
        for (size_t i = 1; i < N; i++) x[i] = (F * (x[i - 1] ^ x[i - 1] >> (W - 2)) + i) & __lw_mask();
        at = N;
    }
    void __lw_twist() {
        const U low = ((U)1 << R) - 1, high = ~low & __lw_mask();
        for (size_t i = 0; i < N; i++) {
            U y = (x[i] & high) | (x[i + 1 == N ? 0 : i + 1] & low);
            size_t j = i + M < N ? i + M : i + M - N;
            x[i] = x[j] ^ y >> 1 ^ (y & 1 ? A : 0);
        }
        at = 0;
    }
    U operator()() {
        if (at >= N) __lw_twist();
        U z = x[at++];
        z ^= z >> UU & D;
        z ^= z << S & B;
        z ^= z << T & C;
        return (z ^ z >> L) & __lw_mask();
    }
    void discard(unsigned long long n) { while (n-- > 0) (*this)(); }
};
typedef mersenne_twister_engine<unsigned long, 32, 624, 397, 31, 0x9908b0dful, 11, 0xfffffffful, 7, 0x9d2c5680ul, 15, 0xefc60000ul, 18, 1812433253ul> mt19937;
typedef mersenne_twister_engine<unsigned long, 64, 312, 156, 31, 0xb5026f5aa96619e9ul, 29, 0x5555555555555555ul, 17, 0x71d67fffeda60000ul, 37, 0xfff7eee000000000ul, 43, 6364136223846793005ul> mt19937_64;
template <class U, U A, U C, U M> struct linear_congruential_engine {
    typedef U result_type;
    static constexpr U default_seed = 1u, multiplier = A, increment = C, modulus = M;
    U x;
    linear_congruential_engine() { seed(default_seed); }
    explicit linear_congruential_engine(U s) { seed(s); }
    void seed(U s = default_seed) { x = M ? s % M : s; if (C % (M ? M : 1) == 0 && x == 0) x = 1; }
    static constexpr U min() { return C == 0 ? 1 : 0; }
    static constexpr U max() { return M - 1; }
    U operator()() { return x = (A * x + C) % M; }
    void discard(unsigned long long n) { while (n-- > 0) (*this)(); }
};
typedef linear_congruential_engine<unsigned long, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned long, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand0 default_random_engine;
struct random_device {
    typedef unsigned result_type;
    unsigned long state;
    random_device() : state(__lw_now()) {}
    explicit random_device(const char *) : state(__lw_now()) {}
    static constexpr unsigned min() { return 0; }
    static constexpr unsigned max() { return 0xffffffffu; }
    double entropy() const { return 32; }
    unsigned operator()() {
        state += 0x9e3779b97f4a7c15ul;
        unsigned long z = state;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
        z = (z ^ z >> 27) * 0x94d049bb133111ebul;
        return (unsigned)(z >> 32);
    }
};
struct seed_seq {
    vector<unsigned> values;
    seed_seq() {}
    seed_seq(initializer_list<unsigned> list) : values(list) {}
};
template <class T, size_t Bits, class G> inline T generate_canonical(G &g) {
    const size_t wanted = is_same_v<T, float> ? (Bits < 24 ? Bits : 24) : Bits < 53 ? Bits : 53;
    const double range = (double)(G::max() - G::min()) + 1;
    size_t per = 0;
    for (double r = range; r >= 2; r /= 2) per++;
    size_t count = (wanted + per - 1) / per;
    if (count < 1) count = 1;
    T sum = 0, scale = 1;
    for (; count > 0; count--) {
        sum += (T)(g() - G::min()) * scale;
        scale = (T)(scale * range);
    }
    T result = sum / scale;
    if (result >= (T)1) result = is_same_v<T, float> ? (T)0.99999994039535522 : (T)0.99999999999999988;
    return result;
}
template <class T = double> struct uniform_real_distribution {
    typedef T result_type;
    struct param_type { T low, high; param_type(T a = 0, T b = 1) : low(a), high(b) {} };
    T low, high;
    explicit uniform_real_distribution(T a = 0, T b = 1) : low(a), high(b) {}
    T a() const { return low; }
    T b() const { return high; }
    T min() const { return low; }
    T max() const { return high; }
    void reset() {}
    template <class G> T operator()(G &g) { return generate_canonical<T, 53>(g) * (high - low) + low; }
    template <class G> T operator()(G &g, const param_type &p) { return generate_canonical<T, 53>(g) * (p.high - p.low) + p.low; }
};
template <class T = int> struct uniform_int_distribution {
    typedef T result_type;
    struct param_type { T low, high; param_type(T a = 0, T b = numeric_limits<T>::max()) : low(a), high(b) {} };
    T low, high;
    explicit uniform_int_distribution(T a = 0, T b = numeric_limits<T>::max()) : low(a), high(b) {}
    T a() const { return low; }
    T b() const { return high; }
    T min() const { return low; }
    T max() const { return high; }
    void reset() {}
    template <class G> T operator()(G &g) { return __lw_pick(g, low, high); }
    template <class G> T operator()(G &g, const param_type &p) { return __lw_pick(g, p.low, p.high); }
    template <class G> static T __lw_pick(G &g, T low, T high) {
        const unsigned long from = G::max() - G::min(), range = (unsigned long)high - (unsigned long)low;
        unsigned long result;
        if (from > range) {
            const unsigned long count = range + 1;
            if (from == 0xfffffffful) {
                unsigned long product = (unsigned long)g() * count;
                unsigned rest = (unsigned)product;
                if (rest < (unsigned)count) {
                    unsigned limit = (0u - (unsigned)count) % (unsigned)count;
                    while (rest < limit) { product = (unsigned long)g() * count; rest = (unsigned)product; }
                }
                result = product >> 32;
            } else if (from == ~0ul) {
                unsigned long x = g(), rest = x * count;
                result = __umul64hi(x, count);
                if (rest < count) {
                    unsigned long limit = (0ul - count) % count;
                    while (rest < limit) { x = g(); rest = x * count; result = __umul64hi(x, count); }
                }
            } else {
                const unsigned long scale = from / count, past = count * scale;
                do result = (unsigned long)g() - G::min(); while (result >= past);
                result /= scale;
            }
        } else if (from < range) {
            unsigned long part;
            do {
                const unsigned long step = from + 1;
                part = step * (unsigned long)uniform_int_distribution<unsigned long>::__lw_pick(g, 0ul, range / step);
                result = part + ((unsigned long)g() - G::min());
            } while (result > range || result < part);
        } else result = (unsigned long)g() - G::min();
        return (T)(result + (unsigned long)low);
    }
};
template <class T = double> struct normal_distribution {
    typedef T result_type;
    struct param_type { T mean, deviation; param_type(T m = 0, T s = 1) : mean(m), deviation(s) {} };
    T middle, spread, saved;
    bool available;
    explicit normal_distribution(T m = 0, T s = 1) : middle(m), spread(s), saved(0), available(false) {}
    T mean() const { return middle; }
    T stddev() const { return spread; }
    void reset() { available = false; }
    template <class G> T operator()(G &g) {
        T result;
        if (available) {
            available = false;
            result = saved;
        } else {
            T x, y, r;
            do {
                x = (T)((T)2 * generate_canonical<T, 53>(g) - 1.0);
                y = (T)((T)2 * generate_canonical<T, 53>(g) - 1.0);
                r = x * x + y * y;
            } while (r > 1.0 || r == 0.0);
            const T factor = sqrt(-2 * log(r) / r);
            saved = x * factor;
            available = true;
            result = y * factor;
        }
        return result * spread + middle;
    }
};
template <class T = double> struct exponential_distribution {
    typedef T result_type;
    T rate;
    explicit exponential_distribution(T l = 1) : rate(l) {}
    void reset() {}
    template <class G> T operator()(G &g) { return -log((T)1 - generate_canonical<T, 53>(g)) / rate; }
};
template <class T = double> struct lognormal_distribution {
    typedef T result_type;
    normal_distribution<T> normal;
    T m, s;
    explicit lognormal_distribution(T a = 0, T b = 1) : normal(), m(a), s(b) {}
    template <class G> T operator()(G &g) { return exp(s * normal(g) + m); }
};
struct bernoulli_distribution {
    typedef bool result_type;
    double chance;
    explicit bernoulli_distribution(double p = 0.5) : chance(p) {}
    void reset() {}
    template <class G> bool operator()(G &g) { return generate_canonical<double, 53>(g) < chance; }
};
template <class I, class G> inline void shuffle(I first, I last, G &&make) {
    typedef decay_t<G> E;
    typedef uniform_int_distribution<unsigned long> D;
    if (first == last) return;
    const unsigned long from = E::max() - E::min(), count = last - first;
    if (from / count >= count) {
        I at = first + 1;
        if (count % 2 == 0) { iter_swap(at, first + D::__lw_pick(make, 0ul, 1ul)); ++at; }
        while (at != last) {
            const unsigned long range = (unsigned long)(at - first) + 1;
            unsigned long both = D::__lw_pick(make, 0ul, range * (range + 1) - 1);
            iter_swap(at, first + both / (range + 1));
            ++at;
            iter_swap(at, first + both % (range + 1));
            ++at;
        }
        return;
    }
    for (I at = first + 1; at != last; ++at) iter_swap(at, first + D::__lw_pick(make, 0ul, (unsigned long)(at - first)));
}
template <class I> inline void random_shuffle(I first, I last) {
    if (first != last)
        for (I at = first + 1; at != last; ++at) {
            I other = first + rand() % ((at - first) + 1);
            if (at != other) iter_swap(at, other);
        }
}
} // namespace std
