// <tuple>, for host and device code.
#include <type_traits>
namespace std {
template <class... T> struct tuple;
template <> struct tuple<> {};
template <class T, class... R> struct tuple<T, R...> {
    T head;
    tuple<R...> tail;
    __device__ tuple() : head(), tail() {}
    template <class U, class... V, enable_if_t<sizeof...(V) == sizeof...(R) && !is_same_v<decay_t<U>, tuple>, int> = 0>
    __device__ tuple(U &&u, V &&...v) : head(static_cast<U &&>(u)), tail(static_cast<V &&>(v)...) {}
    __device__ tuple(const T &t, const R &...r) : head(t), tail(r...) {}
    template <class U, class... V> __device__ tuple(const tuple<U, V...> &o) : head(o.head), tail(o.tail) {}
    template <class U, class... V> __device__ tuple &operator=(const tuple<U, V...> &o) { head = o.head; tail = o.tail; return *this; }
    template <class U, class V> __device__ tuple &operator=(const pair<U, V> &o) { head = o.first; tail.head = o.second; return *this; }
};
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T> struct tuple_element;
template <size_t I, class T, class... R> struct tuple_element<I, tuple<T, R...>> { typedef typename tuple_element<I - 1, tuple<R...>>::type type; };
template <class T, class... R> struct tuple_element<0, tuple<T, R...>> { typedef T type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <size_t I, class T, class... R> __device__ inline auto &get(tuple<T, R...> &t) {
    if constexpr (I == 0) return t.head;
    else return get<I - 1>(t.tail);
}
template <size_t I, class T, class... R> __device__ inline const auto &get(const tuple<T, R...> &t) {
    if constexpr (I == 0) return t.head;
    else return get<I - 1>(t.tail);
}
template <class U, class T, class... R> __device__ inline auto &get(tuple<T, R...> &t) {
    if constexpr (is_same_v<U, T>) return t.head;
    else return get<U>(t.tail);
}
template <class U, class T, class... R> __device__ inline const auto &get(const tuple<T, R...> &t) {
    if constexpr (is_same_v<U, T>) return t.head;
    else return get<U>(t.tail);
}
template <class... T> __device__ inline tuple<decay_t<T>...> make_tuple(T &&...t) { return tuple<decay_t<T>...>(static_cast<T &&>(t)...); }
template <class... T> __device__ inline tuple<T &...> tie(T &...t) { return tuple<T &...>(t...); }
template <class... T> __device__ inline tuple<T &&...> forward_as_tuple(T &&...t) { return tuple<T &&...>(static_cast<T &&>(t)...); }
struct __lw_ignore { template <class T> __device__ const __lw_ignore &operator=(const T &) const { return *this; } };
inline const __lw_ignore ignore{};
__device__ inline bool operator==(const tuple<> &, const tuple<> &) { return true; }
__device__ inline bool operator<(const tuple<> &, const tuple<> &) { return false; }
template <class T, class... R, class U, class... S> __device__ inline bool operator==(const tuple<T, R...> &a, const tuple<U, S...> &b) { return a.head == b.head && a.tail == b.tail; }
template <class T, class... R, class U, class... S> __device__ inline bool operator!=(const tuple<T, R...> &a, const tuple<U, S...> &b) { return !(a == b); }
template <class T, class... R, class U, class... S> __device__ inline bool operator<(const tuple<T, R...> &a, const tuple<U, S...> &b) { return a.head < b.head || (!(b.head < a.head) && a.tail < b.tail); }
template <class T, class... R, class U, class... S> __device__ inline bool operator>(const tuple<T, R...> &a, const tuple<U, S...> &b) { return b < a; }
template <class T, class... R, class U, class... S> __device__ inline bool operator<=(const tuple<T, R...> &a, const tuple<U, S...> &b) { return !(b < a); }
template <class T, class... R, class U, class... S> __device__ inline bool operator>=(const tuple<T, R...> &a, const tuple<U, S...> &b) { return !(a < b); }
template <class... A, class... B, size_t... I, size_t... J> __device__ inline tuple<A..., B...> __lw_cat(const tuple<A...> &a, const tuple<B...> &b, index_sequence<I...>, index_sequence<J...>) {
    return tuple<A..., B...>(get<I>(a)..., get<J>(b)...);
}
__device__ inline tuple<> tuple_cat() { return tuple<>(); }
template <class... A> __device__ inline tuple<A...> tuple_cat(const tuple<A...> &a) { return a; }
template <class... A, class... B, class... T> __device__ inline auto tuple_cat(const tuple<A...> &a, const tuple<B...> &b, const T &...rest) {
    return tuple_cat(__lw_cat(a, b, make_index_sequence<sizeof...(A)>(), make_index_sequence<sizeof...(B)>()), rest...);
}
template <class F, class T, size_t... I> __device__ inline decltype(auto) __lw_apply(F &&f, T &&t, index_sequence<I...>) { return f(get<I>(t)...); }
template <class F, class T> __device__ inline decltype(auto) apply(F &&f, T &&t) {
    return __lw_apply(static_cast<F &&>(f), static_cast<T &&>(t), make_index_sequence<tuple_size<decay_t<T>>::value>());
}
} // namespace std
