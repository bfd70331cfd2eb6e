// <chrono>.
namespace std {
template <long N, long D = 1> struct ratio { static constexpr long num = N, den = D; };
typedef ratio<1, 1000000000> nano;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000> milli;
typedef ratio<1, 100> centi;
typedef ratio<1000> kilo;
typedef ratio<1000000> mega;
typedef ratio<1000000000> giga;
namespace chrono {
template <class R, class P = ratio<1>> struct duration {
    typedef R rep;
    typedef P period;
    R value;
    constexpr duration() : value(0) {}
    template <class S, enable_if_t<is_arithmetic_v<S>, int> = 0> explicit constexpr duration(S v) : value((R)v) {}
    template <class S, class Q> constexpr duration(const duration<S, Q> &o) : value(__lw_value<R, P>(o)) {}
    template <class T, class To, class S, class Q> static constexpr T __lw_value(const duration<S, Q> &o) {
        if constexpr (is_floating_point_v<T> || is_floating_point_v<S>)
            return (T)((double)o.value * ((double)Q::num * To::den) / ((double)Q::den * To::num));
        else if constexpr (Q::num * To::den >= Q::den * To::num) return (T)o.value * (T)(Q::num * To::den / (Q::den * To::num));
        else return (T)(o.value / (S)(Q::den * To::num / (Q::num * To::den)));
    }
    constexpr R count() const { return value; }
    duration &operator+=(const duration &o) { value += o.value; return *this; }
    duration &operator-=(const duration &o) { value -= o.value; return *this; }
    template <class S> duration &operator*=(S s) { value *= s; return *this; }
    template <class S> duration &operator/=(S s) { value /= s; return *this; }
    duration &operator%=(const duration &o) { value %= o.value; return *this; }
    duration &operator%=(const R &s) { value %= s; return *this; }
    duration &operator++() { ++value; return *this; }
    duration &operator--() { --value; return *this; }
    duration operator++(int) { return duration(value++); }
    duration operator--(int) { return duration(value--); }
    constexpr duration operator-() const { return duration(-value); }
    constexpr duration operator+() const { return *this; }
    static constexpr duration min() { return duration(numeric_limits<R>::lowest()); }
    static constexpr duration zero() { return duration(0); }
    static constexpr duration max() { return duration(numeric_limits<R>::max()); }
};
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
typedef duration<long, ratio<60>> minutes;
typedef duration<long, ratio<3600>> hours;
template <class D, class S, class Q> constexpr D duration_cast(const duration<S, Q> &from) { return D(from); }
// The finer of two units.
template <class A, class B> using __lw_finer = conditional_t<(A::num * B::den < B::num * A::den), A, B>;
template <class R, class P, class S, class Q> using __lw_both = duration<common_type_t<R, S>, __lw_finer<P, Q>>;
template <class R, class P, class S, class Q> constexpr auto operator+(const duration<R, P> &a, const duration<S, Q> &b) {
    typedef __lw_both<R, P, S, Q> D;
    return D(D(a).value + D(b).value);
}
template <class R, class P, class S, class Q> constexpr auto operator-(const duration<R, P> &a, const duration<S, Q> &b) {
    typedef __lw_both<R, P, S, Q> D;
    return D(D(a).value - D(b).value);
}
template <class R, class P, class S, class Q> constexpr auto operator/(const duration<R, P> &a, const duration<S, Q> &b) {
    typedef __lw_both<R, P, S, Q> D;
    return D(a).value / D(b).value;
}
template <class R, class P, class S, class Q> constexpr auto operator%(const duration<R, P> &a, const duration<S, Q> &b) {
    typedef __lw_both<R, P, S, Q> D;
    return D(D(a).value % D(b).value);
}
template <class R, class P, class S, enable_if_t<is_arithmetic_v<S>, int> = 0> constexpr auto operator%(const duration<R, P> &a, S s) {
    return duration<common_type_t<R, S>, P>(a.value % s);
}
template <class D, class R, class P> constexpr D floor(const duration<R, P> &d) { D t(d); return t > d ? D(t.value - 1) : t; }
template <class D, class R, class P> constexpr D ceil(const duration<R, P> &d) { D t(d); return t < d ? D(t.value + 1) : t; }
template <class R, class P> constexpr duration<R, P> abs(const duration<R, P> &d) { return d.value < 0 ? -d : d; }
template <class R, class P, class S, enable_if_t<is_arithmetic_v<S>, int> = 0> constexpr auto operator*(const duration<R, P> &a, S s) {
    return duration<common_type_t<R, S>, P>(a.value * s);
}
template <class S, class R, class P, enable_if_t<is_arithmetic_v<S>, int> = 0> constexpr auto operator*(S s, const duration<R, P> &a) {
    return duration<common_type_t<R, S>, P>(a.value * s);
}
template <class R, class P, class S, enable_if_t<is_arithmetic_v<S>, int> = 0> constexpr auto operator/(const duration<R, P> &a, S s) {
    return duration<common_type_t<R, S>, P>(a.value / s);
}
#define __LW_COMPARE(OP)                                                                                              \
    template <class R, class P, class S, class Q> constexpr bool operator OP(const duration<R, P> &a, const duration<S, Q> &b) { \
        typedef __lw_both<R, P, S, Q> D;                                                                              \
        return D(a).value OP D(b).value;                                                                              \
    }
__LW_COMPARE(==) __LW_COMPARE(!=) __LW_COMPARE(<) __LW_COMPARE(>) __LW_COMPARE(<=) __LW_COMPARE(>=)
#undef __LW_COMPARE
template <class C, class D = nanoseconds> struct time_point {
    typedef D duration;
    typedef C clock;
    typedef typename D::rep rep;
    D since;
    constexpr time_point() : since() {}
    explicit constexpr time_point(const D &d) : since(d) {}
    constexpr D time_since_epoch() const { return since; }
    template <class E> constexpr time_point(const time_point<C, E> &t) : since(t.since) {}
    template <class E> time_point &operator+=(const E &d) { since += D(d); return *this; }
    template <class E> time_point &operator-=(const E &d) { since -= D(d); return *this; }
    static constexpr time_point min() { return time_point(D::min()); }
    static constexpr time_point max() { return time_point(D::max()); }
};
template <class C, class D, class E> constexpr auto operator-(const time_point<C, D> &a, const time_point<C, E> &b) { return a.since - b.since; }
template <class C, class D, class R, class P> constexpr auto operator+(const time_point<C, D> &a, const duration<R, P> &b) {
    typedef decltype(a.since + b) E;
    return time_point<C, E>(a.since + b);
}
template <class C, class D, class R, class P> constexpr auto operator+(const duration<R, P> &b, const time_point<C, D> &a) { return a + b; }
template <class C, class D, class R, class P> constexpr auto operator-(const time_point<C, D> &a, const duration<R, P> &b) { return a + -b; }
#define __LW_COMPARE(OP)                                                                                              \
    template <class C, class D, class E> constexpr bool operator OP(const time_point<C, D> &a, const time_point<C, E> &b) { return a.since OP b.since; }
__LW_COMPARE(==) __LW_COMPARE(!=) __LW_COMPARE(<) __LW_COMPARE(>) __LW_COMPARE(<=) __LW_COMPARE(>=)
#undef __LW_COMPARE
template <class D, class C, class E> inline time_point<C, D> time_point_cast(const time_point<C, E> &t) { return time_point<C, D>(D(t.since)); }
struct steady_clock {
    typedef nanoseconds duration;
    typedef long rep;
    typedef nano period;
    typedef chrono::time_point<steady_clock> time_point;
    static constexpr bool is_steady = true;
    static time_point now() { return time_point(nanoseconds((long)__lw_elapsed())); }
};
struct system_clock {
    typedef nanoseconds duration;
    typedef long rep;
    typedef nano period;
    typedef chrono::time_point<system_clock> time_point;
    static constexpr bool is_steady = false;
    static time_point now() { return time_point(nanoseconds((long)__lw_now())); }
    static time_t to_time_t(const time_point &t) { return t.since.value / 1000000000; }
    static time_point from_time_t(time_t t) { return time_point(nanoseconds(t * 1000000000l)); }
};
typedef system_clock high_resolution_clock;
}
inline namespace literals { inline namespace chrono_literals {
constexpr chrono::hours operator""h(unsigned long long v) { return chrono::hours(v); }
constexpr chrono::minutes operator""min(unsigned long long v) { return chrono::minutes(v); }
constexpr chrono::seconds operator""s(unsigned long long v) { return chrono::seconds(v); }
constexpr chrono::milliseconds operator""ms(unsigned long long v) { return chrono::milliseconds(v); }
constexpr chrono::microseconds operator""us(unsigned long long v) { return chrono::microseconds(v); }
constexpr chrono::nanoseconds operator""ns(unsigned long long v) { return chrono::nanoseconds(v); }
constexpr chrono::duration<double, ratio<3600>> operator""h(long double v) { return chrono::duration<double, ratio<3600>>((double)v); }
constexpr chrono::duration<double, ratio<60>> operator""min(long double v) { return chrono::duration<double, ratio<60>>((double)v); }
constexpr chrono::duration<double> operator""s(long double v) { return chrono::duration<double>((double)v); }
constexpr chrono::duration<double, milli> operator""ms(long double v) { return chrono::duration<double, milli>((double)v); }
constexpr chrono::duration<double, micro> operator""us(long double v) { return chrono::duration<double, micro>((double)v); }
constexpr chrono::duration<double, nano> operator""ns(long double v) { return chrono::duration<double, nano>((double)v); }
} }
namespace chrono { using namespace chrono_literals; }
} // namespace std
