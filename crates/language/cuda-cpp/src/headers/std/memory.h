// <memory>.
#include "lanework/std/base.h"
#include <tuple>
namespace std {
template <class T> struct default_delete { void operator()(T *object) const { delete object; } };
template <class T> struct default_delete<T[]> { void operator()(T *list) const { delete[] list; } };
template <class T, class D = default_delete<T>> struct unique_ptr {
    typedef T element_type;
    typedef T *pointer;
    typedef D deleter_type;
    T *object;
    D remove;
    unique_ptr() : object(nullptr), remove() {}
    unique_ptr(decltype(nullptr)) : object(nullptr), remove() {}
    explicit unique_ptr(T *o) : object(o), remove() {}
    unique_ptr(T *o, const D &d) : object(o), remove(d) {}
    unique_ptr(unique_ptr &&o) : object(o.release()), remove(static_cast<D &&>(o.remove)) {}
    template <class U, class E> unique_ptr(unique_ptr<U, E> &&o) : object(o.release()), remove() {}
    unique_ptr(const unique_ptr &) = delete;
    ~unique_ptr() { if (object) remove(object); }
    // The other pointer may be a part of the object that is deleted here.
    unique_ptr &operator=(unique_ptr &&o) { D next(static_cast<D &&>(o.remove)); reset(o.release()); remove = static_cast<D &&>(next); return *this; }
    template <class U, class E> unique_ptr &operator=(unique_ptr<U, E> &&o) { reset(o.release()); return *this; }
    unique_ptr &operator=(decltype(nullptr)) { reset(); return *this; }
    unique_ptr &operator=(const unique_ptr &) = delete;
    T *get() const { return object; }
    T *release() { T *o = object; object = nullptr; return o; }
    void reset(T *o = nullptr) { T *old = object; object = o; if (old) remove(old); }
    void swap(unique_ptr &o) {
        ::std::swap(object, o.object);
        ::std::swap(remove, o.remove);
    }
    D &get_deleter() { return remove; }
    T &operator*() const { return *object; }
    T *operator->() const { return object; }
    explicit operator bool() const { return object != nullptr; }
};
template <class T, class D> struct unique_ptr<T[], D> {
    typedef T element_type;
    typedef T *pointer;
    T *object;
    D remove;
    unique_ptr() : object(nullptr), remove() {}
    unique_ptr(decltype(nullptr)) : object(nullptr), remove() {}
    explicit unique_ptr(T *o) : object(o), remove() {}
    unique_ptr(T *o, const D &d) : object(o), remove(d) {}
    unique_ptr(unique_ptr &&o) : object(o.release()), remove(static_cast<D &&>(o.remove)) {}
    unique_ptr(const unique_ptr &) = delete;
    ~unique_ptr() { if (object) remove(object); }
    unique_ptr &operator=(unique_ptr &&o) { reset(o.release()); return *this; }
    unique_ptr &operator=(decltype(nullptr)) { reset(); return *this; }
    unique_ptr &operator=(const unique_ptr &) = delete;
    T *get() const { return object; }
    T *release() { T *o = object; object = nullptr; return o; }
    void reset(T *o = nullptr) { T *old = object; object = o; if (old) remove(old); }
    T &operator[](size_t i) const { return object[i]; }
    explicit operator bool() const { return object != nullptr; }
    void swap(unique_ptr &o) {
        ::std::swap(object, o.object);
        ::std::swap(remove, o.remove);
    }
};
#define __LW_POINTER_COMPARISONS(P, PARAMETERS, ARGUMENTS)                                                            \
    template <PARAMETERS> inline bool operator==(const P<ARGUMENTS> &a, decltype(nullptr)) { return a.get() == nullptr; } \
    template <PARAMETERS> inline bool operator!=(const P<ARGUMENTS> &a, decltype(nullptr)) { return a.get() != nullptr; } \
    template <PARAMETERS> inline bool operator==(const P<ARGUMENTS> &a, const P<ARGUMENTS> &b) { return a.get() == b.get(); } \
    template <PARAMETERS> inline bool operator!=(const P<ARGUMENTS> &a, const P<ARGUMENTS> &b) { return a.get() != b.get(); } \
    template <PARAMETERS> inline bool operator<(const P<ARGUMENTS> &a, const P<ARGUMENTS> &b) { return a.get() < b.get(); }
#define __LW_TWO class T, class D
#define __LW_BOTH T, D
__LW_POINTER_COMPARISONS(unique_ptr, __LW_TWO, __LW_BOTH)
template <class N> inline N __lw_only(N n) { return n; }
template <class T> struct __lw_element { typedef T type; static constexpr bool is_list = false; };
template <class T> struct __lw_element<T[]> { typedef T type; static constexpr bool is_list = true; };
template <class T, class... A> inline unique_ptr<T> make_unique(A &&...a) {
    typedef typename __lw_element<T>::type E;
    if constexpr (__lw_element<T>::is_list) return unique_ptr<T>(new E[__lw_only(a...)]());
    else return unique_ptr<T>(new T(static_cast<A &&>(a)...));
}
// The reference counts of a shared object, and its deleter.
struct __lw_owners {
    long strong, weak;
    __lw_owners() : strong(1), weak(1) {}
    virtual ~__lw_owners() {}
    virtual void remove() = 0;
};
template <class T, class D> struct __lw_owners_of : __lw_owners {
    T *object;
    D how;
    __lw_owners_of(T *o, const D &d) : object(o), how(d) {}
    void remove() override { how(object); }
};
template <class T> struct weak_ptr;
template <class T> struct shared_ptr {
    typedef typename __lw_element<T>::type element_type;
    typedef element_type E;
    E *object;
    __lw_owners *owners;
    shared_ptr() : object(nullptr), owners(nullptr) {}
    shared_ptr(decltype(nullptr)) : object(nullptr), owners(nullptr) {}
    template <class U> explicit shared_ptr(U *o) : object(o), owners(new __lw_owners_of<U, default_delete<conditional_t<__lw_element<T>::is_list, U[], U>>>(o, default_delete<conditional_t<__lw_element<T>::is_list, U[], U>>())) {}
    template <class U, class D> shared_ptr(U *o, D d) : object(o), owners(new __lw_owners_of<U, D>(o, d)) {}
    shared_ptr(E *o, __lw_owners *shared) : object(o), owners(shared) {}
    // A part of a shared object.
    template <class U> shared_ptr(const shared_ptr<U> &whole, E *part) : object(part), owners(whole.owners) { if (owners) owners->strong++; }
    shared_ptr(const shared_ptr &o) : object(o.object), owners(o.owners) { if (owners) owners->strong++; }
    shared_ptr(shared_ptr &&o) : object(o.object), owners(o.owners) { o.object = nullptr; o.owners = nullptr; }
    template <class U> shared_ptr(const shared_ptr<U> &o) : object(o.object), owners(o.owners) { if (owners) owners->strong++; }
    template <class U, class D> shared_ptr(unique_ptr<U, D> &&o) : object(o.get()), owners(new __lw_owners_of<typename __lw_element<U>::type, D>(o.get(), o.remove)) { o.release(); }
    ~shared_ptr() { __lw_drop(); }
    void __lw_drop() {
        if (owners && --owners->strong == 0) {
            owners->remove();
            if (--owners->weak == 0) delete owners;
        }
    }
    shared_ptr &operator=(const shared_ptr &o) { shared_ptr copy(o); swap(copy); return *this; }
    shared_ptr &operator=(shared_ptr &&o) { shared_ptr held(static_cast<shared_ptr &&>(o)); swap(held); return *this; }
    void swap(shared_ptr &o) {
        E *held = object; object = o.object; o.object = held;
        __lw_owners *other = owners; owners = o.owners; o.owners = other;
    }
    void reset() { shared_ptr none; swap(none); }
    template <class U> void reset(U *o) { shared_ptr other(o); swap(other); }
    E *get() const { return object; }
    E &operator*() const { return *object; }
    E *operator->() const { return object; }
    E &operator[](size_t i) const { return object[i]; }
    long use_count() const { return owners ? owners->strong : 0; }
    bool unique() const { return use_count() == 1; }
    explicit operator bool() const { return object != nullptr; }
};
#define __LW_ONE class T
__LW_POINTER_COMPARISONS(shared_ptr, __LW_ONE, T)
template <class T, class... A> inline shared_ptr<T> make_shared(A &&...a) {
    typedef typename __lw_element<T>::type E;
    if constexpr (__lw_element<T>::is_list) return shared_ptr<T>(new E[__lw_only(a...)]());
    else return shared_ptr<T>(new T(static_cast<A &&>(a)...));
}
template <class T, class U> inline shared_ptr<T> static_pointer_cast(const shared_ptr<U> &o) {
    if (o.owners) o.owners->strong++;
    return shared_ptr<T>(static_cast<T *>(o.object), o.owners);
}
template <class T, class U> inline shared_ptr<T> dynamic_pointer_cast(const shared_ptr<U> &o) {
    T *object = dynamic_cast<T *>(o.object);
    if (object) o.owners->strong++;
    return shared_ptr<T>(object, object ? o.owners : nullptr);
}
template <class T> struct weak_ptr {
    T *object;
    __lw_owners *owners;
    weak_ptr() : object(nullptr), owners(nullptr) {}
    weak_ptr(const shared_ptr<T> &o) : object(o.object), owners(o.owners) { if (owners) owners->weak++; }
    weak_ptr(const weak_ptr &o) : object(o.object), owners(o.owners) { if (owners) owners->weak++; }
    ~weak_ptr() { if (owners && --owners->weak == 0) delete owners; }
    weak_ptr &operator=(const weak_ptr &o) {
        weak_ptr copy(o);
        T *held = object; object = copy.object; copy.object = held;
        __lw_owners *other = owners; owners = copy.owners; copy.owners = other;
        return *this;
    }
    bool expired() const { return !owners || owners->strong == 0; }
    long use_count() const { return owners ? owners->strong : 0; }
    shared_ptr<T> lock() const {
        if (expired()) return shared_ptr<T>();
        owners->strong++;
        return shared_ptr<T>(object, owners);
    }
};
template <class T> inline T *addressof(T &object) { return &object; }
template <class I, class O> inline O uninitialized_copy(I first, I last, O to) {
    typedef typename iterator_traits<O>::value_type T;
    for (; first != last; ++first, ++to) new ((void *)&*to) T(*first);
    return to;
}
} // namespace std
