// Thrust: types, function objects and iterators for host and device code, then vectors and algorithms. Algorithms are loops: on
// the host they run in the interpreter, which may access device memory meanwhile; in kernels each thread runs its own loop.
#include <type_traits>
#include <tuple>
#define THRUST_VERSION 200802
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 8
#define THRUST_SUBMINOR_VERSION 2
#define __LW_BOTH __host__ __device__ inline
#ifdef __LW_HOST__
#include <iostream>
#define __LW_OPEN __lw_device_access access
#else
#define __LW_OPEN (void)0
#endif
#ifdef __LW_HOST__
namespace thrust {
struct system_error : std::runtime_error {
    int number;
    system_error(int code, const char *text = "") : std::runtime_error(text), number(code) {}
    int code() const { return number; }
};
namespace system { typedef thrust::system_error system_error; }
}
#endif
namespace thrust {
using std::pair; using std::make_pair; using std::tuple; using std::make_tuple; using std::get; using std::tie; using std::swap;
using std::tuple_size; using std::tuple_element;
using std::plus; using std::minus; using std::multiplies; using std::divides; using std::modulus; using std::negate;
using std::less; using std::greater; using std::less_equal; using std::greater_equal; using std::equal_to; using std::not_equal_to;
using std::logical_and; using std::logical_or; using std::logical_not; using std::bit_and; using std::bit_or; using std::bit_xor;
template <class T = void> struct maximum { __LW_BOTH constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <class T = void> struct minimum { __LW_BOTH constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct maximum<void> { template <class A, class B> __LW_BOTH constexpr auto operator()(const A &a, const B &b) const { return a < b ? b : a; } };
template <> struct minimum<void> { template <class A, class B> __LW_BOTH constexpr auto operator()(const A &a, const B &b) const { return b < a ? b : a; } };
template <class T = void> struct identity { __LW_BOTH const T &operator()(const T &a) const { return a; } };
template <> struct identity<void> { template <class A> __LW_BOTH const A &operator()(const A &a) const { return a; } };
template <class T> struct square { __LW_BOTH T operator()(const T &a) const { return a * a; } };
template <class A, class B = A> struct project1st { __LW_BOTH const A &operator()(const A &a, const B &) const { return a; } };
template <class A, class B = A> struct project2nd { __LW_BOTH const B &operator()(const A &, const B &b) const { return b; } };
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
template <class F> struct __lw_not { F f; template <class... A> __LW_BOTH bool operator()(const A &...a) const { return !f(a...); } };
template <class F> __LW_BOTH __lw_not<F> not1(const F &f) { return __lw_not<F>{f}; }
template <class F> __LW_BOTH __lw_not<F> not2(const F &f) { return __lw_not<F>{f}; }
template <class F> __LW_BOTH __lw_not<F> not_fn(const F &f) { return __lw_not<F>{f}; }
template <class F> struct zip_function {
    F f;
    __LW_BOTH zip_function(const F &g) : f(g) {}
    template <class T, size_t... I> __LW_BOTH decltype(auto) call(T &&t, std::index_sequence<I...>) const { return f(std::get<I>(t)...); }
    template <class T> __LW_BOTH decltype(auto) operator()(T &&t) const { return call(t, std::make_index_sequence<tuple_size<std::decay_t<T>>::value>()); }
};
template <class F> __LW_BOTH zip_function<F> make_zip_function(const F &f) { return zip_function<F>(f); }
// Expressions of `_1`, `_2` and `_3` are function objects.
namespace placeholders {
template <int N> struct __lw_place {
    template <class A, class... R> __LW_BOTH auto operator()(const A &a, const R &...r) const {
        if constexpr (N == 1) return a;
        else return __lw_place<N - 1>()(r...);
    }
};
template <class F> struct __lw_expression { F f; template <class... A> __LW_BOTH auto operator()(const A &...a) const { return f(a...); } };
template <class T> struct __lw_is_place : std::false_type {};
template <int N> struct __lw_is_place<__lw_place<N>> : std::true_type {};
template <class F> struct __lw_is_place<__lw_expression<F>> : std::true_type {};
template <class X, class... A> __LW_BOTH auto __lw_at(const X &x, const A &...a) {
    if constexpr (__lw_is_place<X>::value) return x(a...);
    else return x;
}
#define __LW_PLACE(NAME, OP)                                                                                          \
    template <class X, class Y> struct __lw_##NAME { X x; Y y; template <class... A> __LW_BOTH auto operator()(const A &...a) const { return __lw_at(x, a...) OP __lw_at(y, a...); } }; \
    template <class X, class Y, std::enable_if_t<__lw_is_place<X>::value || __lw_is_place<Y>::value, int> = 0>        \
    __LW_BOTH auto operator OP(const X &x, const Y &y) { return __lw_expression<__lw_##NAME<X, Y>>{{x, y}}; }
__LW_PLACE(add, +) __LW_PLACE(subtract, -) __LW_PLACE(multiply, *) __LW_PLACE(divide, /) __LW_PLACE(remainder, %)
__LW_PLACE(less, <) __LW_PLACE(greater, >) __LW_PLACE(at_most, <=) __LW_PLACE(at_least, >=) __LW_PLACE(same, ==) __LW_PLACE(other, !=)
__LW_PLACE(both, &&) __LW_PLACE(either, ||) __LW_PLACE(and_bits, &) __LW_PLACE(or_bits, |) __LW_PLACE(xor_bits, ^)
#undef __LW_PLACE
constexpr __lw_place<1> _1{};
constexpr __lw_place<2> _2{};
constexpr __lw_place<3> _3{};
} // namespace placeholders

// Iterators: `at` is the position that arithmetic changes.
struct random_access_traversal_tag {};
template <class I> struct iterator_traits { typedef typename I::value_type value_type; typedef typename I::reference reference; typedef ptrdiff_t difference_type; };
template <class T> struct iterator_traits<T *> { typedef T value_type; typedef T &reference; typedef ptrdiff_t difference_type; };
template <class T> struct iterator_traits<const T *> { typedef T value_type; typedef const T &reference; typedef ptrdiff_t difference_type; };
template <class I> struct iterator_value { typedef typename iterator_traits<I>::value_type type; };
template <class I> using iterator_value_t = typename iterator_traits<I>::value_type;
template <class I> struct iterator_difference { typedef ptrdiff_t type; };
template <class I> struct iterator_reference { typedef typename iterator_traits<I>::reference type; };
#ifdef __LW_HOST__
typedef std::random_access_iterator_tag __lw_category;
#else
typedef random_access_traversal_tag __lw_category;
#endif
#define __LW_ITERATOR(SELF)                                                                                           \
    typedef ptrdiff_t difference_type;                                                                                \
    typedef __lw_category iterator_category;                                                                          \
    __LW_BOTH SELF &operator++() { at += 1; return *this; }                                                           \
    __LW_BOTH SELF &operator--() { at -= 1; return *this; }                                                           \
    __LW_BOTH SELF operator++(int) { SELF old = *this; at += 1; return old; }                                         \
    __LW_BOTH SELF operator--(int) { SELF old = *this; at -= 1; return old; }                                         \
    __LW_BOTH SELF &operator+=(ptrdiff_t n) { at += n; return *this; }                                                \
    __LW_BOTH SELF &operator-=(ptrdiff_t n) { at -= n; return *this; }                                                \
    __LW_BOTH SELF operator+(ptrdiff_t n) const { SELF next = *this; next.at += n; return next; }                     \
    __LW_BOTH SELF operator-(ptrdiff_t n) const { SELF next = *this; next.at -= n; return next; }                     \
    __LW_BOTH ptrdiff_t operator-(const SELF &other) const { return (ptrdiff_t)(at - other.at); }                     \
    __LW_BOTH bool operator==(const SELF &other) const { return at == other.at; }                                     \
    __LW_BOTH bool operator!=(const SELF &other) const { return !(at == other.at); }                                  \
    __LW_BOTH bool operator<(const SELF &other) const { return at < other.at; }                                       \
    __LW_BOTH reference operator[](ptrdiff_t n) const { return *(*this + n); }
template <class T> struct device_ptr {
    typedef T value_type;
    typedef T element_type;
    typedef T &reference;
    typedef T *pointer;
    T *at;
    __LW_BOTH device_ptr() : at(nullptr) {}
    __LW_BOTH explicit device_ptr(T *p) : at(p) {}
    template <class U, std::enable_if_t<std::is_convertible_v<U *, T *>, int> = 0> __LW_BOTH device_ptr(const device_ptr<U> &other) : at(other.at) {}
    __LW_BOTH T *get() const { return at; }
    __LW_BOTH T &operator*() const { return *at; }
    __LW_BOTH T *operator->() const { return at; }
    __LW_BOTH explicit operator bool() const { return at != nullptr; }
    // The iterators of vectors are pointers.
    __LW_BOTH operator T *() const { return at; }
    __LW_ITERATOR(device_ptr)
};
template <class T> using device_reference = T &;
template <class T> __LW_BOTH device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> __LW_BOTH device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <class T> __LW_BOTH T *raw_pointer_cast(const device_ptr<T> &p) { return p.at; }
template <class T> __LW_BOTH T *raw_pointer_cast(T *p) { return p; }
template <class T> __LW_BOTH T &raw_reference_cast(T &r) { return r; }
template <class T = int> struct counting_iterator {
    typedef T value_type;
    typedef T reference;
    typedef const T *pointer;
    T at;
    __LW_BOTH counting_iterator() : at() {}
    __LW_BOTH explicit counting_iterator(T first) : at(first) {}
    __LW_BOTH T operator*() const { return at; }
    __LW_ITERATOR(counting_iterator)
};
template <class T> __LW_BOTH counting_iterator<T> make_counting_iterator(T first) { return counting_iterator<T>(first); }
template <class T> struct constant_iterator {
    typedef T value_type;
    typedef T reference;
    typedef const T *pointer;
    T value;
    ptrdiff_t at;
    __LW_BOTH constant_iterator(const T &v = T(), ptrdiff_t n = 0) : value(v), at(n) {}
    __LW_BOTH T operator*() const { return value; }
    __LW_ITERATOR(constant_iterator)
};
template <class T> __LW_BOTH constant_iterator<T> make_constant_iterator(const T &value) { return constant_iterator<T>(value); }
struct __lw_discarded { template <class T> __LW_BOTH const __lw_discarded &operator=(const T &) const { return *this; } };
template <class T = void> struct discard_iterator {
    typedef __lw_discarded value_type;
    typedef __lw_discarded reference;
    typedef void pointer;
    ptrdiff_t at;
    __LW_BOTH discard_iterator(ptrdiff_t n = 0) : at(n) {}
    __LW_BOTH __lw_discarded operator*() const { return {}; }
    __LW_ITERATOR(discard_iterator)
};
__LW_BOTH discard_iterator<> make_discard_iterator(ptrdiff_t n = 0) { return discard_iterator<>(n); }
template <class F, class I, class R = void> struct transform_iterator {
    typedef std::decay_t<decltype(std::declval<const F &>()(*std::declval<const I &>()))> value_type;
    typedef decltype(std::declval<const F &>()(*std::declval<const I &>())) reference;
    typedef const value_type *pointer;
    I at;
    F f;
    __LW_BOTH transform_iterator() : at(), f() {}
    __LW_BOTH explicit transform_iterator(I i) : at(i), f() {}
    __LW_BOTH transform_iterator(I i, F g) : at(i), f(g) {}
    __LW_BOTH I base() const { return at; }
    __LW_BOTH reference operator*() const { return f(*at); }
    __LW_ITERATOR(transform_iterator)
};
template <class F, class I> __LW_BOTH transform_iterator<F, I> make_transform_iterator(I i, F f) { return transform_iterator<F, I>(i, f); }
template <class E, class I> struct permutation_iterator {
    typedef typename iterator_traits<E>::value_type value_type;
    typedef typename iterator_traits<E>::reference reference;
    typedef value_type *pointer;
    I at;
    E elements;
    __LW_BOTH permutation_iterator() : at(), elements() {}
    __LW_BOTH permutation_iterator(E e, I i) : at(i), elements(e) {}
    __LW_BOTH reference operator*() const { return *(elements + (ptrdiff_t)*at); }
    __LW_ITERATOR(permutation_iterator)
};
template <class E, class I> __LW_BOTH permutation_iterator<E, I> make_permutation_iterator(E e, I i) { return permutation_iterator<E, I>(e, i); }
template <class I> struct reverse_iterator {
    typedef typename iterator_traits<I>::value_type value_type;
    typedef typename iterator_traits<I>::reference reference;
    typedef value_type *pointer;
    struct __lw_backward {
        I place;
        __LW_BOTH void operator+=(ptrdiff_t n) { place -= n; }
        __LW_BOTH void operator-=(ptrdiff_t n) { place += n; }
        __LW_BOTH ptrdiff_t operator-(const __lw_backward &other) const { return other.place - place; }
        __LW_BOTH bool operator==(const __lw_backward &other) const { return place == other.place; }
        __LW_BOTH bool operator<(const __lw_backward &other) const { return other.place < place; }
    } at;
    __LW_BOTH reverse_iterator() : at() {}
    __LW_BOTH explicit reverse_iterator(I i) : at{i} {}
    __LW_BOTH I base() const { return at.place; }
    __LW_BOTH reference operator*() const { return *(at.place - 1); }
    __LW_ITERATOR(reverse_iterator)
};
template <class I> __LW_BOTH reverse_iterator<I> make_reverse_iterator(I i) { return reverse_iterator<I>(i); }
template <class T> struct zip_iterator;
template <class... I> struct zip_iterator<tuple<I...>> {
    typedef tuple<typename iterator_traits<I>::value_type...> value_type;
    typedef tuple<typename iterator_traits<I>::reference...> reference;
    typedef value_type *pointer;
    struct __lw_places {
        tuple<I...> all;
        template <size_t... N> __LW_BOTH void move(ptrdiff_t n, std::index_sequence<N...>) { ((std::get<N>(all) += n), ...); }
        template <size_t... N> __LW_BOTH reference read(std::index_sequence<N...>) const { return reference(*std::get<N>(all)...); }
        __LW_BOTH void operator+=(ptrdiff_t n) { move(n, std::make_index_sequence<sizeof...(I)>()); }
        __LW_BOTH void operator-=(ptrdiff_t n) { move(-n, std::make_index_sequence<sizeof...(I)>()); }
        __LW_BOTH ptrdiff_t operator-(const __lw_places &other) const { return std::get<0>(all) - std::get<0>(other.all); }
        __LW_BOTH bool operator==(const __lw_places &other) const { return std::get<0>(all) == std::get<0>(other.all); }
        __LW_BOTH bool operator<(const __lw_places &other) const { return std::get<0>(all) < std::get<0>(other.all); }
    } at;
    __LW_BOTH zip_iterator() : at() {}
    __LW_BOTH zip_iterator(const tuple<I...> &places) : at{places} {}
    __LW_BOTH const tuple<I...> &get_iterator_tuple() const { return at.all; }
    __LW_BOTH reference operator*() const { return at.read(std::make_index_sequence<sizeof...(I)>()); }
    __LW_ITERATOR(zip_iterator)
};
template <class... I> __LW_BOTH zip_iterator<tuple<I...>> make_zip_iterator(const tuple<I...> &places) { return zip_iterator<tuple<I...>>(places); }
template <class I, class J, class... K> __LW_BOTH zip_iterator<tuple<I, J, K...>> make_zip_iterator(I i, J j, K... k) { return zip_iterator<tuple<I, J, K...>>(tuple<I, J, K...>(i, j, k...)); }
template <class I> __LW_BOTH ptrdiff_t distance(I first, I last) { return last - first; }
template <class I, class N> __LW_BOTH void advance(I &at, N n) { at += n; }
template <class I> __LW_BOTH I next(I at, ptrdiff_t n = 1) { return at + n; }
template <class I> __LW_BOTH I prev(I at, ptrdiff_t n = 1) { return at - n; }
} // namespace thrust
#include <lanework/thrust/algorithms.h>
#include <lanework/thrust/vectors.h>
#include <lanework/thrust/numbers.h>
