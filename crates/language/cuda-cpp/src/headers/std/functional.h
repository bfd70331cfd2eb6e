// <functional>.
#include "lanework/std/base.h"
#include <tuple>
namespace std {
template <class T> struct function;
template <class R, class... A> struct __lw_callable {
    virtual ~__lw_callable() {}
    virtual R call(A... a) = 0;
    virtual __lw_callable *copy() const = 0;
};
template <class F, class R, class... A> struct __lw_callable_of : __lw_callable<R, A...> {
    F f;
    explicit __lw_callable_of(const F &g) : f(g) {}
    R call(A... a) override { return f(static_cast<A &&>(a)...); }
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
template <class F, class... A> inline decltype(auto) invoke(F &&f, A &&...a) { return f(static_cast<A &&>(a)...); }
} // namespace std
