// <optional>.
#include "lanework/std/base.h"
#include <lanework/tuple.h>
namespace std {
struct nullopt_t {};
inline constexpr nullopt_t nullopt{};
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
