// <complex>.
#include "lanework/std/streams.h"
#include <lanework/complex_numbers.h>
namespace std {
template <class T> inline ostream &operator<<(ostream &out, const complex<T> &a) { return out << '(' << a.re << ',' << a.im << ')'; }
} // namespace std
