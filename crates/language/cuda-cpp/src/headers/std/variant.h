// <variant> and <any>.
#include "lanework/std/base.h"
#include <lanework/tuple.h>
namespace std {
struct bad_variant_access : exception { const char *what() const noexcept override { return "std::get: wrong index for variant"; } };
struct bad_any_cast : exception { const char *what() const noexcept override { return "bad any_cast"; } };
struct monostate {};
inline bool operator==(monostate, monostate) { return true; }
inline bool operator<(monostate, monostate) { return false; }
inline constexpr size_t variant_npos = (size_t)-1;
#ifndef __LW_IN_PLACE
#define __LW_IN_PLACE
template <class T> struct in_place_type_t {};
template <size_t I> struct in_place_index_t {};
template <class T> inline constexpr in_place_type_t<T> in_place_type{};
template <size_t I> inline constexpr in_place_index_t<I> in_place_index{};
#endif
template <class... T> struct variant;
template <class V> struct variant_size;
template <class... T> struct variant_size<variant<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class... T> struct variant_size<const variant<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class V> inline constexpr size_t variant_size_v = variant_size<V>::value;
template <size_t I, class... T> struct __lw_nth;
template <size_t I, class T, class... R> struct __lw_nth<I, T, R...> { typedef typename __lw_nth<I - 1, R...>::type type; };
template <class T, class... R> struct __lw_nth<0, T, R...> { typedef T type; };
template <size_t I, class V> struct variant_alternative;
template <size_t I, class... T> struct variant_alternative<I, variant<T...>> { typedef typename __lw_nth<I, T...>::type type; };
template <size_t I, class V> using variant_alternative_t = typename variant_alternative<I, V>::type;
// The place of a type in a list; the length of the list if it is missing.
template <class U, class... T> inline constexpr size_t __lw_place_in() {
    size_t at = 0;
    bool found = false;
    ((found = found || is_same_v<U, T>, at += found ? 0 : 1), ...);
    return at;
}
// One function for each alternative: overload resolution chooses the alternative that a value initializes.
template <size_t I, class T> struct __lw_choice { static integral_constant<size_t, I> choose(T); };
template <class I, class... T> struct __lw_choices;
template <size_t... I, class... T> struct __lw_choices<index_sequence<I...>, T...> : __lw_choice<I, T>... { using __lw_choice<I, T>::choose...; };
// A `bool` alternative is chosen for `bool` only.
struct __lw_no_value { __lw_no_value() = delete; };
template <class U, class T> using __lw_chosen_type = conditional_t<is_same_v<T, bool> && !is_same_v<U, bool>, __lw_no_value, T>;
template <class U, class... T> inline constexpr size_t __lw_chosen() {
    constexpr size_t same = __lw_place_in<decay_t<U>, T...>();
    if constexpr (same < sizeof...(T)) return same;
    else return decltype(__lw_choices<make_index_sequence<sizeof...(T)>, __lw_chosen_type<decay_t<U>, T>...>::choose(declval<decay_t<U>>()))::value;
}
template <class F, class T, class... R> inline void __lw_with(size_t at, void *bytes, F &&f) {
    if (at == 0) f(*(T *)bytes);
    else if constexpr (sizeof...(R) > 0) __lw_with<F, R...>(at - 1, bytes, static_cast<F &&>(f));
}
template <class... T> inline constexpr size_t __lw_largest() {
    size_t largest = 1;
    ((largest = sizeof(T) > largest ? sizeof(T) : largest), ...);
    return largest;
}
template <class... T> struct variant {
    alignas(T...) unsigned char bytes[__lw_largest<T...>()];
    size_t at;
    typedef typename __lw_nth<0, T...>::type first_type;
    variant() : at(0) { new ((void *)bytes) first_type(); }
    variant(const variant &o) : at(o.at) { copy(o); }
    variant(variant &&o) : at(o.at) { move(o); }
    template <class U, enable_if_t<!is_same_v<decay_t<U>, variant>, int> = 0> variant(U &&u) : at(__lw_chosen<U, T...>()) {
        new ((void *)bytes) typename __lw_nth<__lw_chosen<U, T...>(), T...>::type(static_cast<U &&>(u));
    }
    template <class U, class... A> explicit variant(in_place_type_t<U>, A &&...a) : at(__lw_place_in<U, T...>()) { new ((void *)bytes) U(static_cast<A &&>(a)...); }
    template <size_t I, class... A> explicit variant(in_place_index_t<I>, A &&...a) : at(I) { new ((void *)bytes) typename __lw_nth<I, T...>::type(static_cast<A &&>(a)...); }
    ~variant() { destroy(); }
    void copy(const variant &o) { if (at != variant_npos) __lw_with<__lw_copier, T...>(at, (void *)o.bytes, __lw_copier{bytes}); }
    void move(variant &o) { if (at != variant_npos) __lw_with<__lw_mover, T...>(at, (void *)o.bytes, __lw_mover{bytes}); }
    void destroy() { if (at != variant_npos) __lw_with<__lw_destroyer, T...>(at, (void *)bytes, __lw_destroyer()); at = variant_npos; }
    struct __lw_copier { void *to; template <class U> void operator()(U &from) { new (to) U((const U &)from); } };
    struct __lw_mover { void *to; template <class U> void operator()(U &from) { new (to) U(static_cast<U &&>(from)); } };
    struct __lw_destroyer { template <class U> void operator()(U &object) { object.~U(); } };
    variant &operator=(const variant &o) { if (this != &o) { destroy(); at = o.at; copy(o); } return *this; }
    variant &operator=(variant &&o) { if (this != &o) { destroy(); at = o.at; move(o); } return *this; }
    template <class U, enable_if_t<!is_same_v<decay_t<U>, variant>, int> = 0> variant &operator=(U &&u) {
        constexpr size_t chosen = __lw_chosen<U, T...>();
        typedef typename __lw_nth<chosen, T...>::type chosen_type;
        if (at == chosen) *(chosen_type *)bytes = static_cast<U &&>(u);
        else { destroy(); new ((void *)bytes) chosen_type(static_cast<U &&>(u)); at = chosen; }
        return *this;
    }
    template <class U, class... A> U &emplace(A &&...a) {
        destroy();
        U *made = new ((void *)bytes) U(static_cast<A &&>(a)...);
        at = __lw_place_in<U, T...>();
        return *made;
    }
    template <size_t I, class... A> auto &emplace(A &&...a) { return emplace<typename __lw_nth<I, T...>::type>(static_cast<A &&>(a)...); }
    size_t index() const { return at; }
    bool valueless_by_exception() const { return at == variant_npos; }
    void swap(variant &o) { variant other(static_cast<variant &&>(o)); o = static_cast<variant &&>(*this); *this = static_cast<variant &&>(other); }
};
template <size_t I, class... T> inline auto *get_if(variant<T...> *v) { return v && v->at == I ? (typename __lw_nth<I, T...>::type *)v->bytes : nullptr; }
template <size_t I, class... T> inline const auto *get_if(const variant<T...> *v) { return v && v->at == I ? (const typename __lw_nth<I, T...>::type *)v->bytes : nullptr; }
template <class U, class... T> inline U *get_if(variant<T...> *v) { return v && v->at == __lw_place_in<U, T...>() ? (U *)v->bytes : nullptr; }
template <class U, class... T> inline const U *get_if(const variant<T...> *v) { return v && v->at == __lw_place_in<U, T...>() ? (const U *)v->bytes : nullptr; }
template <size_t I, class... T> inline auto &get(variant<T...> &v) { if (v.at != I) throw bad_variant_access(); return *(typename __lw_nth<I, T...>::type *)v.bytes; }
template <size_t I, class... T> inline const auto &get(const variant<T...> &v) { if (v.at != I) throw bad_variant_access(); return *(const typename __lw_nth<I, T...>::type *)v.bytes; }
template <class U, class... T> inline U &get(variant<T...> &v) { if (v.at != __lw_place_in<U, T...>()) throw bad_variant_access(); return *(U *)v.bytes; }
template <class U, class... T> inline const U &get(const variant<T...> &v) { if (v.at != __lw_place_in<U, T...>()) throw bad_variant_access(); return *(const U *)v.bytes; }
template <class U, class... T> inline bool holds_alternative(const variant<T...> &v) { return v.at == __lw_place_in<U, T...>(); }
template <class F> inline decltype(auto) visit(F &&f) { return f(); }
template <size_t I, class F, class V> inline decltype(auto) __lw_visit(F &&f, V &v) {
    if constexpr (I + 1 < variant_size<V>::value) {
        if (v.index() != I) return __lw_visit<I + 1>(static_cast<F &&>(f), v);
    } else if (v.index() != I) throw bad_variant_access();
    return f(get<I>(v));
}
template <class F, class V> inline decltype(auto) visit(F &&f, V &&v) { return __lw_visit<0>(static_cast<F &&>(f), v); }
template <class F, class V, class W> inline decltype(auto) visit(F &&f, V &&v, W &&w) {
    return __lw_visit<0>([&](auto &a) -> decltype(auto) { return __lw_visit<0>([&](auto &b) -> decltype(auto) { return f(a, b); }, w); }, v);
}
template <class... T> inline bool operator==(const variant<T...> &a, const variant<T...> &b) {
    return a.at == b.at && (a.at == variant_npos || __lw_visit<0>([&](const auto &x) { return x == get<decay_t<decltype(x)>>(b); }, a));
}
template <class... T> inline bool operator!=(const variant<T...> &a, const variant<T...> &b) { return !(a == b); }
template <class... T> inline bool operator<(const variant<T...> &a, const variant<T...> &b) {
    if (a.at != b.at) return a.at + 1 < b.at + 1;
    return a.at != variant_npos && __lw_visit<0>([&](const auto &x) { return x < get<decay_t<decltype(x)>>(b); }, a);
}
struct __lw_held {
    virtual ~__lw_held() {}
    virtual __lw_held *copy() const = 0;
    virtual const type_info &type() const = 0;
};
template <class T> struct __lw_held_of : __lw_held {
    T value;
    template <class... A> explicit __lw_held_of(A &&...a) : value(static_cast<A &&>(a)...) {}
    __lw_held *copy() const override { return new __lw_held_of<T>(value); }
    const type_info &type() const override { return typeid(T); }
};
struct any {
    __lw_held *held;
    any() : held(nullptr) {}
    any(const any &o) : held(o.held ? o.held->copy() : nullptr) {}
    any(any &&o) : held(o.held) { o.held = nullptr; }
    template <class T, enable_if_t<!is_same_v<decay_t<T>, any>, int> = 0> any(T &&value) : held(new __lw_held_of<decay_t<T>>(static_cast<T &&>(value))) {}
    ~any() { delete held; }
    any &operator=(const any &o) { any other(o); swap(other); return *this; }
    any &operator=(any &&o) { any other(static_cast<any &&>(o)); swap(other); return *this; }
    template <class T, enable_if_t<!is_same_v<decay_t<T>, any>, int> = 0> any &operator=(T &&value) { any other(static_cast<T &&>(value)); swap(other); return *this; }
    template <class T, class... A> decay_t<T> &emplace(A &&...a) {
        reset();
        auto *made = new __lw_held_of<decay_t<T>>(static_cast<A &&>(a)...);
        held = made;
        return made->value;
    }
    void swap(any &o) { __lw_held *other = held; held = o.held; o.held = other; }
    void reset() { delete held; held = nullptr; }
    bool has_value() const { return held != nullptr; }
    const type_info &type() const { return held ? held->type() : typeid(void); }
};
template <class T> inline T *any_cast(any *a) { return a && a->held && a->held->type() == typeid(T) ? &((__lw_held_of<T> *)a->held)->value : nullptr; }
template <class T> inline const T *any_cast(const any *a) { return a && a->held && a->held->type() == typeid(T) ? &((__lw_held_of<T> *)a->held)->value : nullptr; }
template <class T> inline T any_cast(any &a) { auto *value = any_cast<decay_t<T>>(&a); if (!value) throw bad_any_cast(); return *value; }
template <class T> inline T any_cast(const any &a) { auto *value = any_cast<decay_t<T>>(&a); if (!value) throw bad_any_cast(); return *value; }
template <class T> inline T any_cast(any &&a) { auto *value = any_cast<decay_t<T>>(&a); if (!value) throw bad_any_cast(); return static_cast<decay_t<T> &&>(*value); }
template <class T, class... A> inline any make_any(A &&...a) { any made; made.emplace<T>(static_cast<A &&>(a)...); return made; }
} // namespace std
