// `std::complex` for host and device code, which `thrust::complex` and `cuda::std::complex` name, too.
#include <type_traits>
namespace std {
template <class T> struct complex {
    typedef T value_type;
    T re, im;
    __device__ constexpr complex(T r = 0, T i = 0) : re(r), im(i) {}
    template <class U> __device__ constexpr complex(const complex<U> &o) : re((T)o.re), im((T)o.im) {}
    __device__ constexpr T real() const { return re; }
    __device__ constexpr T imag() const { return im; }
    __device__ void real(T v) { re = v; }
    __device__ void imag(T v) { im = v; }
    template <class U, enable_if_t<is_arithmetic_v<U>, int> = 0> __device__ complex &operator=(U v) { re = (T)v; im = 0; return *this; }
    template <class U> __device__ complex &operator=(const complex<U> &o) { re = (T)o.re; im = (T)o.im; return *this; }
    __device__ complex &operator+=(const complex &o) { re += o.re; im += o.im; return *this; }
    __device__ complex &operator-=(const complex &o) { re -= o.re; im -= o.im; return *this; }
    __device__ complex &operator*=(const complex &o) { T r = re * o.re - im * o.im; im = re * o.im + im * o.re; re = r; return *this; }
    __device__ complex &operator/=(const complex &o) {
        T scale = (o.re < 0 ? -o.re : o.re) + (o.im < 0 ? -o.im : o.im), one = 1 / scale;
        T p = re * one, q = im * one, r = o.re * one, t = o.im * one;
        one = 1 / (r * r + t * t);
        re = (p * r + q * t) * one;
        im = (q * r - p * t) * one;
        return *this;
    }
    __device__ complex operator-() const { return complex(-re, -im); }
    __device__ complex operator+() const { return *this; }
};
#define __LW_COMPLEX(OP)                                                                                              \
    template <class T, class U> __device__ inline auto operator OP(const complex<T> &a, const complex<U> &b) { complex<decltype(T() + U())> c = a; c OP##= complex<decltype(T() + U())>(b); return c; } \
    template <class T, class U, enable_if_t<is_arithmetic_v<U>, int> = 0> __device__ inline complex<T> operator OP(const complex<T> &a, U b) { complex<T> c = a; c OP##= complex<T>((T)b); return c; } \
    template <class T, class U, enable_if_t<is_arithmetic_v<U>, int> = 0> __device__ inline complex<T> operator OP(U a, const complex<T> &b) { complex<T> c((T)a); c OP##= b; return c; }
__LW_COMPLEX(+) __LW_COMPLEX(-) __LW_COMPLEX(*) __LW_COMPLEX(/)
#undef __LW_COMPLEX
template <class T> __device__ inline bool operator==(const complex<T> &a, const complex<T> &b) { return a.re == b.re && a.im == b.im; }
template <class T> __device__ inline bool operator==(const complex<T> &a, T b) { return a.re == b && a.im == 0; }
template <class T> __device__ inline bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <class T> __device__ inline bool operator!=(const complex<T> &a, T b) { return !(a == b); }
template <class T> __device__ inline T real(const complex<T> &a) { return a.re; }
template <class T> __device__ inline T imag(const complex<T> &a) { return a.im; }
__device__ inline float real(float a) { return a; }
__device__ inline double real(double a) { return a; }
__device__ inline float imag(float) { return 0; }
__device__ inline double imag(double) { return 0; }
template <class T> __device__ inline T norm(const complex<T> &a) { return a.re * a.re + a.im * a.im; }
template <class T> __device__ inline T abs(const complex<T> &a) { return hypot(a.re, a.im); }
template <class T> __device__ inline T arg(const complex<T> &a) { return atan2(a.im, a.re); }
template <class T> __device__ inline complex<T> conj(const complex<T> &a) { return complex<T>(a.re, -a.im); }
template <class T> __device__ inline complex<T> polar(T r, T angle = T()) { return complex<T>(r * cos(angle), r * sin(angle)); }
template <class T> __device__ inline complex<T> exp(const complex<T> &a) { return polar(exp(a.re), a.im); }
template <class T> __device__ inline complex<T> log(const complex<T> &a) { return complex<T>(log(hypot(a.re, a.im)), atan2(a.im, a.re)); }
template <class T> __device__ inline complex<T> log10(const complex<T> &a) { return log(a) / (T)2.302585092994045684; }
template <class T> __device__ inline complex<T> sqrt(const complex<T> &a) {
    T x = a.re < 0 ? -a.re : a.re, y = a.im < 0 ? -a.im : a.im;
    if (x == 0 && y == 0) return complex<T>(0, a.im);
    T half = sqrt((hypot(x, y) + x) / 2);
    if (a.re >= 0) return complex<T>(half, a.im / (2 * half));
    return complex<T>(y / (2 * half), a.im < 0 ? -half : half);
}
template <class T> __device__ inline complex<T> pow(const complex<T> &a, const complex<T> &b) { return a.re == 0 && a.im == 0 ? complex<T>() : exp(b * log(a)); }
template <class T, class U, enable_if_t<is_arithmetic_v<U>, int> = 0> __device__ inline complex<T> pow(const complex<T> &a, U b) { return pow(a, complex<T>((T)b)); }
template <class T> __device__ inline complex<T> pow(T a, const complex<T> &b) { return exp(b * (T)log(a)); }
template <class T> __device__ inline complex<T> sin(const complex<T> &a) { return complex<T>(sin(a.re) * cosh(a.im), cos(a.re) * sinh(a.im)); }
template <class T> __device__ inline complex<T> cos(const complex<T> &a) { return complex<T>(cos(a.re) * cosh(a.im), -sin(a.re) * sinh(a.im)); }
template <class T> __device__ inline complex<T> sinh(const complex<T> &a) { return complex<T>(sinh(a.re) * cos(a.im), cosh(a.re) * sin(a.im)); }
template <class T> __device__ inline complex<T> cosh(const complex<T> &a) { return complex<T>(cosh(a.re) * cos(a.im), sinh(a.re) * sin(a.im)); }
template <class T> __device__ inline complex<T> tan(const complex<T> &a) { return sin(a) / cos(a); }
template <class T> __device__ inline complex<T> tanh(const complex<T> &a) { return sinh(a) / cosh(a); }
template <class T> __device__ inline complex<T> proj(const complex<T> &a) { return a; }
} // namespace std
