// <thread>, <mutex>, <atomic> and <future>: one thread runs at a time. A new thread runs to its end where it is created.
#include "lanework/std/functional.h"
#include "lanework/std/memory.h"
#include "lanework/std/tuple.h"
namespace std {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
// Reads or writes an atomic object. For tools, a `volatile` access is one that synchronizes.
template <class T> inline T __lw_atomic(const T &from) {
    if constexpr (is_arithmetic_v<T> || is_pointer_v<T>) return *(const volatile T *)&from;
    else return from;
}
template <class T> inline void __lw_atomic(T &to, T v) {
    if constexpr (is_arithmetic_v<T> || is_pointer_v<T>) *(volatile T *)&to = v;
    else to = v;
}
template <class T> struct atomic {
    T value;
    atomic() : value() {}
    atomic(T v) : value(v) {}
    atomic(const atomic &) = delete;
    T operator=(T v) { store(v); return v; }
    operator T() const { return load(); }
    T load(memory_order = memory_order_seq_cst) const { return __lw_atomic(value); }
    void store(T v, memory_order = memory_order_seq_cst) { __lw_atomic(value, v); }
    T exchange(T v, memory_order = memory_order_seq_cst) { T old = load(); store(v); return old; }
    T fetch_add(T v, memory_order = memory_order_seq_cst) { T old = load(); store(old + v); return old; }
    T fetch_sub(T v, memory_order = memory_order_seq_cst) { T old = load(); store(old - v); return old; }
    bool compare_exchange_strong(T &wanted, T v, memory_order = memory_order_seq_cst) {
        T old = load();
        if (old == wanted) { store(v); return true; }
        wanted = old;
        return false;
    }
    bool compare_exchange_weak(T &wanted, T v, memory_order = memory_order_seq_cst) { return compare_exchange_strong(wanted, v); }
    T operator++() { T v = load(); ++v; store(v); return v; }
    T operator--() { T v = load(); --v; store(v); return v; }
    T operator++(int) { T old = load(), v = old; ++v; store(v); return old; }
    T operator--(int) { T old = load(), v = old; --v; store(v); return old; }
    T operator+=(T v) { T now = load(); now += v; store(now); return now; }
    T operator-=(T v) { T now = load(); now -= v; store(now); return now; }
    T fetch_or(T v, memory_order = memory_order_seq_cst) { T old = load(); store(old | v); return old; }
    T fetch_and(T v, memory_order = memory_order_seq_cst) { T old = load(); store(old & v); return old; }
    T fetch_xor(T v, memory_order = memory_order_seq_cst) { T old = load(); store(old ^ v); return old; }
    T operator|=(T v) { T now = load() | v; store(now); return now; }
    T operator&=(T v) { T now = load() & v; store(now); return now; }
    T operator^=(T v) { T now = load() ^ v; store(now); return now; }
    bool is_lock_free() const { return true; }
};
struct atomic_flag {
    volatile bool value;
    atomic_flag(bool v = false) : value(v) {}
    atomic_flag(const atomic_flag &) = delete;
    bool test_and_set(memory_order = memory_order_seq_cst) { bool old = value; value = true; return old; }
    void clear(memory_order = memory_order_seq_cst) { value = false; }
};
#define ATOMIC_FLAG_INIT false
typedef atomic<int> atomic_int;
typedef atomic<unsigned> atomic_uint;
typedef atomic<long> atomic_long;
typedef atomic<bool> atomic_bool;
struct mutex {
    volatile bool held;
    mutex() : held(false) {}
    mutex(const mutex &) = delete;
    void lock() { if (held) __lw_fault("a thread waits for a mutex that it holds itself"); held = true; }
    bool try_lock() { if (held) return false; held = true; return true; }
    void unlock() { held = false; }
};
struct recursive_mutex { void lock() {} void unlock() {} };
struct defer_lock_t {};
struct try_to_lock_t {};
struct adopt_lock_t {};
inline constexpr defer_lock_t defer_lock{};
inline constexpr try_to_lock_t try_to_lock{};
inline constexpr adopt_lock_t adopt_lock{};
template <class M> struct lock_guard {
    M &m;
    lock_guard(M &n, adopt_lock_t) : m(n) {}
    explicit lock_guard(M &n) : m(n) { m.lock(); }
    lock_guard(const lock_guard &) = delete;
    ~lock_guard() { m.unlock(); }
};
template <class M> struct scoped_lock {
    M &m;
    explicit scoped_lock(M &n) : m(n) { m.lock(); }
    scoped_lock(const scoped_lock &) = delete;
    ~scoped_lock() { m.unlock(); }
};
template <class M> struct unique_lock {
    M *m;
    bool held;
    explicit unique_lock(M &n) : m(&n), held(true) { n.lock(); }
    unique_lock(M &n, defer_lock_t) : m(&n), held(false) {}
    unique_lock(M &n, try_to_lock_t) : m(&n), held(n.try_lock()) {}
    unique_lock(M &n, adopt_lock_t) : m(&n), held(true) {}
    unique_lock(const unique_lock &) = delete;
    ~unique_lock() { if (held) m->unlock(); }
    bool owns_lock() const { return held; }
    explicit operator bool() const { return held; }
    M *mutex() const { return m; }
    bool try_lock() { return held = m->try_lock(); }
    void lock() { m->lock(); held = true; }
    void unlock() { m->unlock(); held = false; }
};
struct once_flag {
    bool done;
    once_flag() : done(false) {}
    once_flag(const once_flag &) = delete;
};
template <class F, class... A> inline void call_once(once_flag &flag, F &&f, A &&...a) {
    if (flag.done) return;
    f(static_cast<A &&>(a)...);
    flag.done = true;
}
struct thread {
    struct id { int n; bool operator==(id o) const { return n == o.n; } };
    bool open;
    thread() : open(false) {}
    template <class F, class... A> explicit thread(F f, A... a) : open(true) { __lw_host_function outside(0); f(a...); }
    thread(thread &&o) : open(o.open) { o.open = false; }
    thread(const thread &) = delete;
    ~thread() { if (open) __lw_fault("a `std::thread` is destroyed that was neither joined nor detached"); }
    thread &operator=(thread &&o) { open = o.open; o.open = false; return *this; }
    bool joinable() const { return open; }
    void join() { open = false; }
    void detach() { open = false; }
    static unsigned hardware_concurrency() { return 1; }
};
// A task of `async` runs where it is created, or when its result is wanted.
enum class launch { async = 1, deferred = 2 };
enum class future_status { ready, timeout, deferred };
inline constexpr launch operator|(launch a, launch b) { return (launch)((int)a | (int)b); }
template <class R> struct __lw_task { function<R()> start; optional<R> value; };
template <> struct __lw_task<void> { function<void()> start; optional<bool> value; };
template <class R> struct future {
    shared_ptr<__lw_task<R>> task;
    future() {}
    bool valid() const { return (bool)task; }
    void wait() const {
        if (!task || task->value.has_value()) return;
        if (!task->start) __lw_fault("a future waits for a value that nothing sets");
        if constexpr (is_void_v<R>) { task->start(); task->value = true; } else task->value = task->start();
    }
    template <class D> future_status wait_for(const D &) const { wait(); return future_status::ready; }
    R get() {
        wait();
        auto held = task;
        task = nullptr;
        if constexpr (!is_void_v<R>) return std::move(*held->value);
    }
};
template <class R> struct promise {
    shared_ptr<__lw_task<R>> task = make_shared<__lw_task<R>>();
    future<R> get_future() { future<R> result; result.task = task; return result; }
    template <class T> void set_value(const T &value) { task->value = value; }
    void set_value() { task->value = true; }
};
template <class F, class... A> inline auto async(launch when, F f, A... a) {
    typedef decltype(f(a...)) R;
    future<R> result;
    result.task = make_shared<__lw_task<R>>();
    tuple<A...> all(a...);
    result.task->start = [f, all]() mutable -> R { return apply(f, all); };
    if ((int)when & 1) { __lw_host_function outside(0); result.wait(); }
    return result;
}
template <class F, class... A, enable_if_t<!is_same_v<F, launch>, int> = 0> inline auto async(F f, A... a) { return async(launch::async, f, a...); }
struct condition_variable {
    void notify_one() {}
    void notify_all() {}
    template <class L> void wait(L &) { __lw_fault("a thread waits for ever: threads run one after the other"); }
    template <class L, class P> void wait(L &, P ready) { if (!ready()) __lw_fault("a thread waits for ever: threads run one after the other"); }
};
namespace this_thread {
inline void yield() {}
inline thread::id get_id() { return thread::id{0}; }
template <class D> inline void sleep_for(const D &) {}
}
} // namespace std
