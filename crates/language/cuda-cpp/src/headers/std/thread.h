// <thread>, <mutex>, <atomic> and <future>: one thread runs at a time. A new thread runs to its end where it is created.
#include "lanework/std/functional.h"
namespace std {
enum memory_order { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
template <class T> struct atomic {
    T value;
    atomic() : value() {}
    atomic(T v) : value(v) {}
    atomic(const atomic &) = delete;
    T operator=(T v) { return value = v; }
    operator T() const { return value; }
    T load(memory_order = memory_order_seq_cst) const { return value; }
    void store(T v, memory_order = memory_order_seq_cst) { value = v; }
    T exchange(T v, memory_order = memory_order_seq_cst) { T old = value; value = v; return old; }
    T fetch_add(T v, memory_order = memory_order_seq_cst) { T old = value; value = old + v; return old; }
    T fetch_sub(T v, memory_order = memory_order_seq_cst) { T old = value; value = old - v; return old; }
    bool compare_exchange_strong(T &wanted, T v, memory_order = memory_order_seq_cst) {
        if (value == wanted) { value = v; return true; }
        wanted = value;
        return false;
    }
    bool compare_exchange_weak(T &wanted, T v, memory_order = memory_order_seq_cst) { return compare_exchange_strong(wanted, v); }
    T operator++() { return ++value; }
    T operator--() { return --value; }
    T operator++(int) { return value++; }
    T operator--(int) { return value--; }
    T operator+=(T v) { return value += v; }
    T operator-=(T v) { return value -= v; }
};
typedef atomic<int> atomic_int;
typedef atomic<unsigned> atomic_uint;
typedef atomic<long> atomic_long;
typedef atomic<bool> atomic_bool;
struct mutex {
    bool held;
    mutex() : held(false) {}
    mutex(const mutex &) = delete;
    void lock() { if (held) __lw_fault("a thread waits for a mutex that it holds itself"); held = true; }
    bool try_lock() { if (held) return false; held = true; return true; }
    void unlock() { held = false; }
};
struct recursive_mutex { void lock() {} void unlock() {} };
template <class M> struct lock_guard {
    M &m;
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
    unique_lock(const unique_lock &) = delete;
    ~unique_lock() { if (held) m->unlock(); }
    void lock() { m->lock(); held = true; }
    void unlock() { m->unlock(); held = false; }
};
struct thread {
    struct id { int n; bool operator==(id o) const { return n == o.n; } };
    bool open;
    thread() : open(false) {}
    template <class F, class... A> explicit thread(F f, A... a) : open(true) { f(a...); }
    thread(thread &&o) : open(o.open) { o.open = false; }
    thread(const thread &) = delete;
    ~thread() { if (open) __lw_fault("a `std::thread` is destroyed that was neither joined nor detached"); }
    thread &operator=(thread &&o) { open = o.open; o.open = false; return *this; }
    bool joinable() const { return open; }
    void join() { open = false; }
    void detach() { open = false; }
    static unsigned hardware_concurrency() { return 1; }
};
namespace this_thread {
inline void yield() {}
inline thread::id get_id() { return thread::id{0}; }
template <class D> inline void sleep_for(const D &) {}
}
} // namespace std
