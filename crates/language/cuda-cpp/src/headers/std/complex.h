// <complex>.
#include "lanework/std/streams.h"
namespace std {
template <class T> struct complex {
    typedef T value_type;
    T re, im;
    constexpr complex(T r = 0, T i = 0) : re(r), im(i) {}
    template <class U> constexpr complex(const complex<U> &o) : re((T)o.re), im((T)o.im) {}
    constexpr T real() const { return re; }
    constexpr T imag() const { return im; }
    void real(T v) { re = v; }
    void imag(T v) { im = v; }
    complex &operator+=(const complex &o) { re += o.re; im += o.im; return *this; }
    complex &operator-=(const complex &o) { re -= o.re; im -= o.im; return *this; }
    complex &operator*=(const complex &o) { T r = re * o.re - im * o.im; im = re * o.im + im * o.re; re = r; return *this; }
    complex &operator/=(const complex &o) { T d = o.re * o.re + o.im * o.im, r = (re * o.re + im * o.im) / d; im = (im * o.re - re * o.im) / d; re = r; return *this; }
    complex operator-() const { return complex(-re, -im); }
};
#define __LW_COMPLEX(OP)                                                                                              \
    template <class T> inline complex<T> operator OP(const complex<T> &a, const complex<T> &b) { complex<T> c = a; c OP##= b; return c; } \
    template <class T> inline complex<T> operator OP(const complex<T> &a, T b) { complex<T> c = a; c OP##= complex<T>(b); return c; } \
    template <class T> inline complex<T> operator OP(T a, const complex<T> &b) { complex<T> c(a); c OP##= b; return c; }
__LW_COMPLEX(+) __LW_COMPLEX(-) __LW_COMPLEX(*) __LW_COMPLEX(/)
#undef __LW_COMPLEX
template <class T> inline bool operator==(const complex<T> &a, const complex<T> &b) { return a.re == b.re && a.im == b.im; }
template <class T> inline bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <class T> inline T real(const complex<T> &a) { return a.re; }
template <class T> inline T imag(const complex<T> &a) { return a.im; }
inline float real(float a) { return a; }
inline double real(double a) { return a; }
inline float imag(float) { return 0; }
inline double imag(double) { return 0; }
template <class T> inline T norm(const complex<T> &a) { return a.re * a.re + a.im * a.im; }
template <class T> inline T abs(const complex<T> &a) { return hypot(a.re, a.im); }
template <class T> inline T arg(const complex<T> &a) { return atan2(a.im, a.re); }
template <class T> inline complex<T> conj(const complex<T> &a) { return complex<T>(a.re, -a.im); }
template <class T> inline complex<T> polar(T r, T angle) { return complex<T>(r * cos(angle), r * sin(angle)); }
template <class T> inline complex<T> exp(const complex<T> &a) { return polar(exp(a.re), a.im); }
template <class T> inline ostream &operator<<(ostream &out, const complex<T> &a) { return out << '(' << a.re << ',' << a.im << ')'; }
} // namespace std
