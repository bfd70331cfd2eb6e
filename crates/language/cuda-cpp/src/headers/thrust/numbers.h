// Complex numbers and random numbers of Thrust.
#include <lanework/complex_numbers.h>
namespace thrust {
using std::complex; using std::norm; using std::arg; using std::conj; using std::polar; using std::abs; using std::exp; using std::log;
using std::sqrt; using std::pow; using std::sin; using std::cos; using std::sinh; using std::cosh; using std::tan; using std::tanh;
using std::log10; using std::proj;
namespace random {
// x = a x + c modulo m.
template <class T, T a, T c, T m> struct linear_congruential_engine {
    typedef T result_type;
    static constexpr T min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1;
    T x;
    __LW_BOTH explicit linear_congruential_engine(T s = 1) { seed(s); }
    __LW_BOTH void seed(T s = 1) { x = c % m == 0 && s % m == 0 ? 1 : s % m; }
    __LW_BOTH T operator()() { x = (T)(((unsigned long long)a * x + c) % m); return x; }
    __LW_BOTH void discard(unsigned long long z) {
        unsigned long long f = a, g = c;
        for (; z; z /= 2) {
            if (z & 1) x = (T)((f * x + g) % m);
            g = (f * g + g) % m;
            f = f * f % m;
        }
    }
};
typedef linear_congruential_engine<unsigned, 48271, 0, 2147483647> minstd_rand;
typedef linear_congruential_engine<unsigned, 16807, 0, 2147483647> minstd_rand0;
typedef minstd_rand default_random_engine;
template <class T = float> struct uniform_real_distribution {
    typedef T result_type;
    T low, high;
    __LW_BOTH explicit uniform_real_distribution(T a = 0, T b = 1) : low(a), high(b) {}
    template <class G> __LW_BOTH T operator()(G &make) {
        T x = (T)(make() - G::min) / ((T)(G::max - G::min) + 1);
        return x * (high - low) + low;
    }
};
template <class T = int> struct uniform_int_distribution {
    typedef T result_type;
    T low, high;
    __LW_BOTH explicit uniform_int_distribution(T a = 0, T b = std::numeric_limits<T>::max()) : low(a), high(b) {}
    template <class G> __LW_BOTH T operator()(G &make) {
        uniform_real_distribution<double> real((double)low, (double)high + 1);
        return (T)real(make);
    }
};
template <class T = float> struct normal_distribution {
    typedef T result_type;
    T mean, deviation;
    __LW_BOTH explicit normal_distribution(T m = 0, T d = 1) : mean(m), deviation(d) {}
    template <class G> __LW_BOTH T operator()(G &make) {
        T u = ((T)(make() - G::min) + 1) / ((T)(G::max - G::min) + 2), v = (T)(make() - G::min) / ((T)(G::max - G::min) + 1);
        return mean + deviation * sqrt((T)-2 * log(u)) * cos((T)6.283185307179586 * v);
    }
};
} // namespace random
using random::minstd_rand; using random::minstd_rand0; using random::default_random_engine; using random::linear_congruential_engine;
using random::uniform_real_distribution; using random::uniform_int_distribution; using random::normal_distribution;
} // namespace thrust
