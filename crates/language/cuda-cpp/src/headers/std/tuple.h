// <tuple>, <optional>.
#include "lanework/std/base.h"
namespace std {
struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
template <class... T> struct tuple;
template <> struct tuple<> {};
template <class T, class... R> struct tuple<T, R...> {
    T head;
    tuple<R...> tail;
    tuple() : head(), tail() {}
    template <class U, class... V, enable_if_t<sizeof...(V) == sizeof...(R) && !is_same_v<decay_t<U>, tuple>, int> = 0>
    tuple(U &&u, V &&...v) : head(static_cast<U &&>(u)), tail(static_cast<V &&>(v)...) {}
    tuple(const T &t, const R &...r) : head(t), tail(r...) {}
    template <class U, class... V> tuple(const tuple<U, V...> &o) : head(o.head), tail(o.tail) {}
    template <class U, class... V> tuple &operator=(const tuple<U, V...> &o) { head = o.head; tail = o.tail; return *this; }
    template <class U, class V> tuple &operator=(const pair<U, V> &o) { head = o.first; tail.head = o.second; return *this; }
};
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T> struct tuple_element;
template <size_t I, class T, class... R> struct tuple_element<I, tuple<T, R...>> { typedef typename tuple_element<I - 1, tuple<R...>>::type type; };
template <class T, class... R> struct tuple_element<0, tuple<T, R...>> { typedef T type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <size_t I, class T, class... R> inline auto &get(tuple<T, R...> &t) {
    if constexpr (I == 0) return t.head;
    else return get<I - 1>(t.tail);
}
template <size_t I, class T, class... R> inline const auto &get(const tuple<T, R...> &t) {
    if constexpr (I == 0) return t.head;
    else return get<I - 1>(t.tail);
}
template <class U, class T, class... R> inline auto &get(tuple<T, R...> &t) {
    if constexpr (is_same_v<U, T>) return t.head;
    else return get<U>(t.tail);
}
template <class U, class T, class... R> inline const auto &get(const tuple<T, R...> &t) {
    if constexpr (is_same_v<U, T>) return t.head;
    else return get<U>(t.tail);
}
template <class... T> inline tuple<decay_t<T>...> make_tuple(T &&...t) { return tuple<decay_t<T>...>(static_cast<T &&>(t)...); }
template <class... T> inline tuple<T &...> tie(T &...t) { return tuple<T &...>(t...); }
template <class... T> inline tuple<T &&...> forward_as_tuple(T &&...t) { return tuple<T &&...>(static_cast<T &&>(t)...); }
struct __lw_ignore { template <class T> const __lw_ignore &operator=(const T &) const { return *this; } };
inline const __lw_ignore ignore{};
inline bool operator==(const tuple<> &, const tuple<> &) { return true; }
inline bool operator<(const tuple<> &, const tuple<> &) { return false; }
template <class T, class... R, class U, class... S> inline bool operator==(const tuple<T, R...> &a, const tuple<U, S...> &b) { return a.head == b.head && a.tail == b.tail; }
template <class T, class... R, class U, class... S> inline bool operator!=(const tuple<T, R...> &a, const tuple<U, S...> &b) { return !(a == b); }
template <class T, class... R, class U, class... S> inline bool operator<(const tuple<T, R...> &a, const tuple<U, S...> &b) { return a.head < b.head || (!(b.head < a.head) && a.tail < b.tail); }
template <class T, class... R, class U, class... S> inline bool operator>(const tuple<T, R...> &a, const tuple<U, S...> &b) { return b < a; }
template <class T, class... R, class U, class... S> inline bool operator<=(const tuple<T, R...> &a, const tuple<U, S...> &b) { return !(b < a); }
template <class T, class... R, class U, class... S> inline bool operator>=(const tuple<T, R...> &a, const tuple<U, S...> &b) { return !(a < b); }
template <class F, class T, size_t... I> inline decltype(auto) __lw_apply(F &&f, T &&t, index_sequence<I...>) { return f(get<I>(t)...); }
template <class F, class T> inline decltype(auto) apply(F &&f, T &&t) {
    return __lw_apply(static_cast<F &&>(f), static_cast<T &&>(t), make_index_sequence<tuple_size<decay_t<T>>::value>());
}
template <class T> struct optional {
    typedef T value_type;
    alignas(T) char bytes[sizeof(T)];
    bool full;
    optional() : full(false) {}
    optional(nullopt_t) : full(false) {}
    optional(const T &v) : full(true) { new ((void *)bytes) T(v); }
    optional(T &&v) : full(true) { new ((void *)bytes) T(static_cast<T &&>(v)); }
    optional(const optional &o) : full(o.full) { if (full) new ((void *)bytes) T(*o); }
    optional(optional &&o) : full(o.full) { if (full) new ((void *)bytes) T(static_cast<T &&>(*o)); }
    ~optional() { reset(); }
    optional &operator=(const optional &o) {
        if (this != &o) { reset(); if (o.full) { new ((void *)bytes) T(*o); full = true; } }
        return *this;
    }
    optional &operator=(optional &&o) {
        if (this != &o) { reset(); if (o.full) { new ((void *)bytes) T(static_cast<T &&>(*o)); full = true; } }
        return *this;
    }
    optional &operator=(const T &v) { T copy(v); reset(); new ((void *)bytes) T(static_cast<T &&>(copy)); full = true; return *this; }
    optional &operator=(T &&v) { T held(static_cast<T &&>(v)); reset(); new ((void *)bytes) T(static_cast<T &&>(held)); full = true; return *this; }
    optional &operator=(nullopt_t) { reset(); return *this; }
    void reset() { if (full) { ((T *)bytes)->~T(); full = false; } }
    template <class... A> T &emplace(A &&...a) { reset(); new ((void *)bytes) T(static_cast<A &&>(a)...); full = true; return **this; }
    bool has_value() const { return full; }
    explicit operator bool() const { return full; }
    T &operator*() { return *(T *)bytes; }
    const T &operator*() const { return *(const T *)bytes; }
    T *operator->() { return (T *)bytes; }
    const T *operator->() const { return (const T *)bytes; }
    T &value() { if (!full) throw bad_optional_access(); return **this; }
    const T &value() const { if (!full) throw bad_optional_access(); return **this; }
    template <class U> T value_or(U &&other) const { return full ? **this : (T)static_cast<U &&>(other); }
};
template <class T> inline optional<decay_t<T>> make_optional(T &&v) { return optional<decay_t<T>>(static_cast<T &&>(v)); }
} // namespace std
