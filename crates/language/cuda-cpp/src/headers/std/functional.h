// <functional>.
#include "lanework/std/base.h"
#include <tuple>
namespace std {
// A call of anything callable: functions and function objects, and members of an object, a pointer or a reference wrapper.
template <class T> struct reference_wrapper;
template <class O> inline O &__lw_object(O &object) { return object; }
template <class O> inline O &__lw_object(O *object) { return *object; }
template <class O> inline O &__lw_object(reference_wrapper<O> object) { return object.get(); }
template <class F, class O, class... A> inline decltype(auto) __lw_invoke_member(F f, O &&object, A &&...a) {
    return (__lw_object(object).*f)(static_cast<A &&>(a)...);
}
template <class F, class O> inline auto &__lw_data_member(F f, O &&object) { return __lw_object(object).*f; }
template <class F, class... A> inline decltype(auto) invoke(F &&f, A &&...a) {
    if constexpr (is_member_function_pointer_v<decay_t<F>>) return __lw_invoke_member(f, static_cast<A &&>(a)...);
    else if constexpr (is_member_object_pointer_v<decay_t<F>>) return __lw_data_member(f, static_cast<A &&>(a)...);
    else return f(static_cast<A &&>(a)...);
}
template <class R, class F, class... A> inline R __lw_invoke_as(F &f, A &&...a) {
    if constexpr (is_void_v<R>) invoke(f, static_cast<A &&>(a)...);
    else return invoke(f, static_cast<A &&>(a)...);
}
template <class T> struct function;
template <class R, class... A> struct __lw_callable {
    virtual ~__lw_callable() {}
    virtual R call(A... a) = 0;
    virtual __lw_callable *copy() const = 0;
};
template <class F, class R, class... A> struct __lw_callable_of : __lw_callable<R, A...> {
    F f;
    explicit __lw_callable_of(const F &g) : f(g) {}
    R call(A... a) override { return __lw_invoke_as<R>(f, static_cast<A &&>(a)...); }
    __lw_callable<R, A...> *copy() const override { return new __lw_callable_of<F, R, A...>(f); }
};
template <class R, class... A> struct function<R(A...)> {
    typedef R result_type;
    __lw_callable<R, A...> *held;
    function() : held(nullptr) {}
    function(decltype(nullptr)) : held(nullptr) {}
    template <class F> function(F f) : held(new __lw_callable_of<F, R, A...>(f)) {}
    function(const function &o) : held(o.held ? o.held->copy() : nullptr) {}
    function(function &&o) : held(o.held) { o.held = nullptr; }
    ~function() { delete held; }
    function &operator=(const function &o) { function other(o); swap(other); return *this; }
    function &operator=(function &&o) { function other(static_cast<function &&>(o)); swap(other); return *this; }
    function &operator=(decltype(nullptr)) { function other; swap(other); return *this; }
    template <class F> function &operator=(F f) { function other(f); swap(other); return *this; }
    void swap(function &o) { __lw_callable<R, A...> *other = held; held = o.held; o.held = other; }
    explicit operator bool() const { return held != nullptr; }
    R operator()(A... a) const {
        if (!held) throw bad_function_call();
        return held->call(static_cast<A &&>(a)...);
    }
};
template <class R, class... A> inline bool operator==(const function<R(A...)> &f, decltype(nullptr)) { return !f; }
template <class R, class... A> inline bool operator!=(const function<R(A...)> &f, decltype(nullptr)) { return (bool)f; }
template <class T> struct reference_wrapper {
    typedef T type;
    T *object;
    reference_wrapper(T &o) : object(&o) {}
    operator T &() const { return *object; }
    T &get() const { return *object; }
    template <class... A> auto operator()(A &&...a) const { return (*object)(static_cast<A &&>(a)...); }
};
template <class T> inline reference_wrapper<T> ref(T &object) { return reference_wrapper<T>(object); }
template <class T> inline reference_wrapper<const T> cref(const T &object) { return reference_wrapper<const T>(object); }
template <class F> struct __lw_not {
    F f;
    template <class... A> bool operator()(A &&...a) const { return !f(static_cast<A &&>(a)...); }
};
template <class F> inline __lw_not<decay_t<F>> not_fn(F &&f) { return __lw_not<decay_t<F>>{f}; }
// `mem_fn` and `bind`.
template <class F> struct __lw_member_function {
    F f;
    template <class... A> decltype(auto) operator()(A &&...a) const { return invoke(f, static_cast<A &&>(a)...); }
};
template <class F> inline __lw_member_function<F> mem_fn(F f) { return __lw_member_function<F>{f}; }
template <int N> struct __lw_placeholder {};
template <class T> struct is_placeholder : integral_constant<int, 0> {};
template <int N> struct is_placeholder<__lw_placeholder<N>> : integral_constant<int, N> {};
namespace placeholders {
inline constexpr __lw_placeholder<1> _1{};
inline constexpr __lw_placeholder<2> _2{};
inline constexpr __lw_placeholder<3> _3{};
inline constexpr __lw_placeholder<4> _4{};
inline constexpr __lw_placeholder<5> _5{};
inline constexpr __lw_placeholder<6> _6{};
inline constexpr __lw_placeholder<7> _7{};
inline constexpr __lw_placeholder<8> _8{};
inline constexpr __lw_placeholder<9> _9{};
} // namespace placeholders
template <class F, class... B> struct __lw_bound;
template <class T> struct is_bind_expression : false_type {};
template <class F, class... B> struct is_bind_expression<__lw_bound<F, B...>> : true_type {};
template <size_t N, class... A> struct __lw_select;
template <size_t N, class T, class... R> struct __lw_select<N, T, R...> {
    static decltype(auto) of(T &&, R &&...rest) { return __lw_select<N - 1, R...>::of(static_cast<R &&>(rest)...); }
};
template <class T, class... R> struct __lw_select<0, T, R...> { static T &&of(T &&first, R &&...) { return static_cast<T &&>(first); } };
template <class B> struct __lw_unwrapped { typedef B type; };
template <class B> struct __lw_unwrapped<reference_wrapper<B>> { typedef B type; };
template <class B, class... A> inline decltype(auto) __lw_bound_value(B &bound, A &&...a) {
    typedef remove_cv_t<B> T;
    if constexpr (is_placeholder<T>::value > 0) return __lw_select<is_placeholder<T>::value - 1, A...>::of(static_cast<A &&>(a)...);
    else if constexpr (is_bind_expression<T>::value) return bound(static_cast<A &&>(a)...);
    else if constexpr (!is_same_v<typename __lw_unwrapped<T>::type, T>) return bound.get();
    else return (B &)bound;
}
template <class F, class... B> struct __lw_bound {
    F f;
    tuple<B...> values;
    template <size_t... I, class... A> decltype(auto) call(index_sequence<I...>, A &&...a) { return invoke(f, __lw_bound_value(get<I>(values), static_cast<A &&>(a)...)...); }
    template <class... A> decltype(auto) operator()(A &&...a) { return call(make_index_sequence<sizeof...(B)>(), static_cast<A &&>(a)...); }
};
template <class F, class... B> inline __lw_bound<decay_t<F>, decay_t<B>...> bind(F &&f, B &&...b) {
    return __lw_bound<decay_t<F>, decay_t<B>...>{static_cast<F &&>(f), tuple<decay_t<B>...>(static_cast<B &&>(b)...)};
}
template <class R, class F, class... B> inline __lw_bound<decay_t<F>, decay_t<B>...> bind(F &&f, B &&...b) {
    return __lw_bound<decay_t<F>, decay_t<B>...>{static_cast<F &&>(f), tuple<decay_t<B>...>(static_cast<B &&>(b)...)};
}
} // namespace std
